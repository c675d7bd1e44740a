import type { LoadedPage, Manifest } from '../contract/pages.ts';

type Document = {
  page: LoadedPage;
  manifest: Manifest;
  head: { title: string; description: string };
  body: string;
  /** What the browser goes on with; printed as JSON, which no browser executes. */
  data: unknown;
  /** What search engines read of it, as JSON-LD. */
  structured: object | undefined;
};

/** The whole document around a rendered page. No script stands in it but by address. */
export function documentOf({ page, manifest, head, body, data, structured }: Document): string {
  const { settings, url, takesCards } = page;
  const { files } = manifest;
  const scripts = [...new Set(page.matches.flatMap(({ id }) => manifest.pages[id] ?? []))];
  // A press that nothing answers would be lost: on a form, and on the buttons of whoever is signed in.
  const atOnce = page.viewer !== undefined || body.includes('<form');
  // Never from the request's `Host`.
  const canonical = escapeText(settings.origin + new URL(url).pathname);
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
${takesCards ? `<script src="${escapeText(settings.stripeJsUrl)}" defer></script>\n` : ''}${atOnce ? scripts.map(scriptAt).join('\n') : beginAt(manifest.entry)}
${
  structured
    ? `<script type="application/ld+json">${escapeJson(structured)}</script>
`
    : ''
}</head>
<body>
<div id="root">${body}</div>
${atOnce ? '' : noticeOf(scripts)}<script type="application/json" id="page-data">${escapeJson(data)}</script>
</body>
</html>`;
}

const scriptAt = (address: string) => `<script src="${address}" type="module"></script>`;

/** What is read first gets its scripts after its first picture: `begin.ts`, which reads them from the notice. */
const beginAt = (address: string) =>
  `<script src="${address}" type="module" async fetchpriority="low"></script>`;

/** Shown where the scripts do not come; they may be those of a release that is gone, and Retry loads the page anew. */
const noticeOf = (scripts: string[]) =>
  `<p hidden role="alert" class="fixed inset-x-4 bottom-4 z-50 border border-edge bg-leaf px-4 py-3 text-sm" data-scripts="${scripts.join(' ')}">Loading chunk failed. <a class="link" href="">Retry</a></p>
`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Beyond Latin 1 by number: a single such sign, as a dash in a title, and V8 holds the whole document in two bytes a
 * character, which takes twice as long to put together and to send.
 */
const escapeText = (text: string) =>
  text.replace(/[&<>"]|[^\0-\xff]/gu, (sign) => entities[sign] ?? `&#${sign.codePointAt(0)};`);

/** JSON that cannot end its element: `<` never appears in it. */
const escapeJson = (data: unknown) =>
  JSON.stringify(data).replace(
    /[<\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
