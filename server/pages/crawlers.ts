/**
 * What search engines ask for by its one known address: where they may look, and which pages there are. `icon` is
 * the address of the small icon.
 */
export function createCrawlerFiles(origin: string, pages: Iterable<string>, icon: string) {
  const robots = [
    'User-agent: *',
    'Disallow: /api/',
    'Disallow: /dashboard',
    `Sitemap: ${origin}/sitemap.xml`,
  ];
  const urls = [...pages].map((path) => `<url><loc>${escapeXml(origin + path)}</loc></url>`);
  const sitemap = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    '</urlset>',
  ];
  const texts: Record<string, [type: string, lines: string[]]> = {
    '/robots.txt': ['text/plain; charset=utf-8', robots],
    '/sitemap.xml': ['application/xml; charset=utf-8', sitemap],
  };

  return (path: string): Response | undefined => {
    // Browsers that read no `<link>` ask here.
    if (path === '/favicon.ico') return new Response(null, { status: 302, headers: { location: icon } });
    const found = Object.hasOwn(texts, path) ? texts[path] : undefined;
    if (!found) return undefined;
    const [type, lines] = found;
    return new Response(`${lines.join('\n')}\n`, {
      headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' },
    });
  };
}

const escapeXml = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
