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
  /** What search engines read of it, as JSON-LD. */
  structured: object | undefined;
};

/** The whole document around a rendered page. No script stands in it but by address. */
export function documentOf({ page, head, body, data, pages, takesCards, structured }: Document): string {
  const { manifest, settings, request } = page;
  const { files } = manifest;
  const scripts = [...new Set(pages.flatMap((id) => manifest.pages[id] ?? []))];
  // Never from the request's `Host`.
  const canonical = escapeText(settings.origin + new URL(request.url).pathname);
  const [title, description] = [escapeText(head.title), escapeText(head.description)];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="canonical" href="${canonical}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Hand-Tools Shop">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${canonical}">
<meta property="og:image" content="${escapeText(settings.origin)}${files['share.png']}">
<meta property="og:image:alt" content="A clock movement, drawn as an engraving">
<meta name="twitter:card" content="summary_large_image">
<meta name="theme-color" content="#f7f2e8" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#16130f" media="(prefers-color-scheme: dark)">
<link rel="icon" href="${files['icon-32.png']}" sizes="32x32">
<link rel="icon" href="${files['icon.svg']}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${files['icon-180.png']}">
<link rel="manifest" href="${files['shop.webmanifest']}">
<link rel="preload" href="${manifest.font}" as="font" type="font/woff2" crossorigin>
<style>${manifest.styles}</style>
${takesCards ? `<script src="${escapeText(settings.stripeJsUrl)}" defer></script>\n` : ''}${body.includes('<form') ? scripts.map(scriptAt).join('\n') : beginOf(manifest.entry, scripts)}
${
  structured
    ? `<script type="application/ld+json">${escapeJson(structured)}</script>
`
    : ''
}</head>
<body>
<div id="root">${body}</div>
<script type="application/json" id="page-data">${escapeJson(data)}</script>
</body>
</html>`;
}

/** A form is there to be filled in, and so its page's scripts come at once. */
const scriptAt = (address: string) => `<script src="${address}" type="module"></script>`;

/** What is read first gets its scripts after its first picture (`begin.ts`). */
const beginOf = (begin: string, scripts: string[]) =>
  `<script src="${begin}" type="module" async fetchpriority="low" data-scripts="${scripts.join(' ')}"></script>`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeText = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

/** JSON that cannot end its element: `<` never appears in it. */
const escapeJson = (data: unknown) =>
  JSON.stringify(data).replace(
    /[<\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
