/** Serves /robots.txt, /sitemap.xml and /favicon.ico. `icon` is the URL of the small icon. */
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
  const files: Record<string, [type: string, lines: string[]]> = {
    '/robots.txt': ['text/plain; charset=utf-8', robots],
    '/sitemap.xml': ['application/xml; charset=utf-8', sitemap],
  };

  return (path: string): Response | undefined => {
    // For clients that do not read `<link rel="icon">`.
    if (path === '/favicon.ico') return new Response(null, { status: 302, headers: { location: icon } });
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    if (!file) return undefined;
    const [type, lines] = file;
    return new Response(`${lines.join('\n')}\n`, {
      headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' },
    });
  };
}

const escapeXml = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
