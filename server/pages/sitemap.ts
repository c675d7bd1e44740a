import { Hono } from 'hono';
import { id } from '../../contract/fields.ts';
import { purchasePages } from '../../contract/page-addresses.ts';
import type { WebSettings } from '../../contract/pages.ts';
import type { Database } from '../database/database.ts';
import { streamText } from '../http/calls/download.ts';
import type { Env } from '../http/request-context.ts';
import { listSitemapIds, listSitemapStarts } from '../shop/products/sitemap-keys.ts';

const indexLifetimeMs = 60 * 60 * 1000;

const headers = {
  'content-type': 'application/xml; charset=utf-8',
  'cache-control': `public, max-age=${indexLifetimeMs / 1000}`,
};
const xmlStart = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/**
 * Serves the sitemap (https://www.sitemaps.org/protocol.html): the public pages and, if visitors may read the catalogue,
 * an index of these and of all products. There is no `lastmod`, because products do not record their last change.
 */
export function createSitemapRoutes(
  { db }: Database,
  settings: WebSettings,
  listPaths: () => Promise<string[]>,
): Hono<Env> {
  const { origin, openCatalogue } = settings;
  const formatUrl = (path: string) => `<url><loc>${origin}${path}</loc></url>\n`;
  const renderPages = async () =>
    `${xmlStart}<urlset ${namespace}>\n${(await listPaths()).map(formatUrl).join('')}</urlset>\n`;
  const routes = new Hono<Env>();
  if (!openCatalogue)
    return routes.get('/sitemap.xml', async (c) => c.body(await renderPages(), 200, headers));

  let index: { text: Promise<string>; expiresAt: number } | undefined;

  async function renderIndex(): Promise<string> {
    const starts = await listSitemapStarts(db);
    const productPages = starts.map((start) => `products.xml${start && `?after=${start}`}`);
    const locations = ['pages.xml', ...productPages].map(
      (name) => `<sitemap><loc>${origin}/sitemap/${name}</loc></sitemap>\n`,
    );
    return `${xmlStart}<sitemapindex ${namespace}>\n${locations.join('')}</sitemapindex>\n`;
  }

  /** Cached, because it reads a key of every product. Products added since are on its last page. */
  function getIndex(): Promise<string> {
    if (index && index.expiresAt > Date.now()) return index.text;
    const text = renderIndex().catch((error: unknown) => {
      index = undefined;
      throw error;
    });
    index = { text, expiresAt: Date.now() + indexLifetimeMs };
    return text;
  }

  /** Streamed: a page is about a megabyte. */
  async function* renderProducts(start: string): AsyncGenerator<string> {
    yield `${xmlStart}<urlset ${namespace}>\n`;
    for await (const ids of listSitemapIds(db, start))
      yield ids.map((product) => formatUrl(`${purchasePages}/${product}`)).join('');
    yield '</urlset>\n';
  }

  return routes
    .get('/sitemap.xml', async (c) => c.body(await getIndex(), 200, headers))
    .get('/sitemap/pages.xml', async (c) => c.body(await renderPages(), 200, headers))
    .get('/sitemap/products.xml', async (c, next) => {
      const start = c.req.query('after') ?? '';
      if (start !== '' && !id.safeParse(start).success) return next();
      return c.body(streamText(renderProducts(start)), 200, headers);
    });
}
