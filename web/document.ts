import type { PageRequest } from '../contract/pages.ts';

type Document = {
  page: PageRequest;
  head: { title: string; description: string };
  body: string;
  /** What the browser goes on with; printed as JSON, which no browser executes. */
  data: unknown;
  /** The ids of the page's routes: their scripts are fetched at once. */
  pages: string[];
  takesCards: boolean;
};

/** The whole document around a rendered page. No script stands in it but by address. */
export function documentOf({ page, head, body, data, pages, takesCards }: Document): string {
  const { manifest, settings, request } = page;
  const scripts = [...new Set(pages.flatMap((id) => manifest.pages[id] ?? []))];
  const canonical = settings.origin + new URL(request.url).pathname;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(head.title)}</title>
<meta name="description" content="${escapeText(head.description)}">
<link rel="canonical" href="${escapeText(canonical)}">
<meta name="theme-color" content="#f7f2e8" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#16130f" media="(prefers-color-scheme: dark)">
<link rel="icon" href="${manifest.files['icon.svg']}" type="image/svg+xml">
<link rel="preload" href="${manifest.font}" as="font" type="font/woff2" crossorigin>
<style>${manifest.styles}</style>
${takesCards ? `<script src="${escapeText(settings.stripeJsUrl)}" defer></script>\n` : ''}<script src="${manifest.entry}" type="module"></script>
${scripts.map((script) => `<link rel="modulepreload" href="${script}">`).join('\n')}
</head>
<body>
<div id="root">${body}</div>
<script type="application/json" id="page-data">${escapeJson(data)}</script>
</body>
</html>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeText = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

/** JSON that cannot end its element: `<` never appears in it. */
const escapeJson = (data: unknown) =>
  JSON.stringify(data).replace(
    /[<\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
