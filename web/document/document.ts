import { contactPage, newsletterPage } from '../../contract/page-addresses.ts';
import type { LoadedPage, Manifest } from '../../contract/pages.ts';
import { describePage } from './page-meta.ts';

type Document = {
  page: LoadedPage;
  manifest: Manifest;
  head: { title: string; description: string };
  body: string;
  footer: string;
  /** Hydration data, written as JSON so that no inline script is needed. */
  data: unknown;
  /** JSON-LD for search engines. */
  structured: object | undefined;
};

/** The HTML document around a rendered page. It contains no inline script. */
export function renderDocument({ page, manifest, head, body, footer, data, structured }: Document): string {
  const { settings, takesCards } = page;
  const meta = describePage(page, manifest);
  const { files } = manifest;
  const ids = [...page.matches.map(({ id }) => id), ...(page.viewer ? ['account'] : [])];
  const scripts = [...new Set(ids.flatMap((id) => manifest.pages[id] ?? []))];
  // Signed-in users' buttons and posted forms need their scripts right away, but after a main image, which is what visitors look at
  // first: scripts would take its bandwidth for a second. A search form (GET) works without scripts.
  const loadImmediately =
    !body.includes('fetchPriority="high"') && (page.viewer !== undefined || body.includes('method="post"'));
  const canonical = escapeText(meta.canonical);
  const [title, description] = [escapeText(head.title), escapeText(head.description)];
  // React renders the link inside the root. An error page or a failed hydration would remove it from there, so it is moved to
  // the head, where React finds it as well.
  const stylesLink = `<link rel="stylesheet" href="${files['styles.css']}" data-precedence="default"/>`;
  const content = body.replace(stylesLink, '');
  // `styles.css` includes everything in `manifest.styles`.
  const styles =
    content === body ? `<style data-precedence="default">${manifest.styles}</style>` : stylesLink;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="canonical" href="${canonical}">
${meta.isIndexed ? '' : '<meta name="robots" content="noindex">\n'}<meta property="og:type" content="website">
<meta property="og:site_name" content="Hand-Tools Shop">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${canonical}">
<meta property="og:image" content="${escapeText(meta.image)}">
<meta property="og:image:alt" content="${escapeText(meta.imageAlt)}">
<meta name="twitter:card" content="summary_large_image">
<meta name="theme-color" content="#f7f2e8" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#16130f" media="(prefers-color-scheme: dark)">
<link rel="icon" href="${files['icon-32.png']}" sizes="32x32">
<link rel="icon" href="${files['icon.svg']}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${files['icon-180.png']}">
<link rel="manifest" href="${files['shop.webmanifest']}">
<link rel="preload" href="${manifest.font}" as="font" type="font/woff2" crossorigin>
${styles}
${takesCards ? `<script src="${escapeText(settings.stripeJsUrl)}" defer></script>\n` : ''}${loadImmediately ? scripts.map(scriptTag).join('\n') : loaderTag(manifest.entry)}
${
  structured
    ? `<script type="application/ld+json">${escapeJson(structured)}</script>
`
    : ''
}</head>
<body>
<div id="root">${content}</div>
${footer}
${homeForms(settings)}${loadImmediately ? '' : loadFailureNotice(scripts)}<script type="application/json" id="page-data">${escapeJson(data)}</script>
</body>
</html>`;
}

/**
 * The forms of the home page's boxes. The fields refer to the forms by id. The forms are outside the root, so that React need not
 * render them.
 */
const homeForms = ({ contact, newsletter }: LoadedPage['settings']) =>
  `${contact ? `<form id="contact" method="post" action="${contactPage}" novalidate></form>\n` : ''}${newsletter ? `<form id="newsletter" method="post" action="${newsletterPage}" novalidate></form>\n` : ''}`;

const scriptTag = (url: string) => `<script src="${url}" type="module"></script>`;

/** Loads `script-loader.ts`, which reads the list of scripts from the notice and loads them after the first paint. */
const loaderTag = (url: string) => `<script src="${url}" type="module" async fetchpriority="low"></script>`;

/** Shown if scripts fail to load. The scripts may belong to an old release, so Retry reloads the page. */
const loadFailureNotice = (scripts: string[]) =>
  `<p hidden role="alert" class="fixed inset-x-4 bottom-4 z-50 border border-edge bg-leaf px-4 py-3 text-sm" data-scripts="${scripts.join(' ')}">Loading chunk failed. <a class="link" href="">Retry</a></p>
`;

const htmlEntities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Characters outside Latin 1 become numeric references. A single one, such as a dash, would make V8 store the whole
 * document with two bytes per character, which doubles the time to build and send it.
 */
const escapeText = (text: string) =>
  text.replace(
    /[&<>"]|[^\0-\xff]/gu,
    (character) => htmlEntities[character] ?? `&#${character.codePointAt(0)};`,
  );

/** JSON without `<`, so that it cannot close its `<script>` element. */
const escapeJson = (data: unknown) => JSON.stringify(data).replaceAll('<', '\\u003c');
