import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Manifest } from '../../contract/pages.ts';
import { makeFolder } from '../../tests/support/database.ts';
import { startShop } from '../../tests/support/shop.ts';
import { createPages, readManifest } from './pages.ts';
import { createRenderer } from './renderer.ts';
import { toWebSettings } from './web-settings.ts';

type Shop = Awaited<ReturnType<typeof startShop>>;

async function place(shop: Shop) {
  const { _id, price } = await shop.addProduct();
  const customer = await shop.signUp();
  const body = { orderId: _id, orderQuantity: 1, price, user: customer.email };
  const { insertedId } = await shop.client(customer).call('placeOrder', { body });
  return { customer, order: insertedId };
}

test('a page arrives whole, and no script or style in it is run but what its policy names', async () => {
  await using shop = await startShop();
  const { name } = await shop.addProduct({ name: 'Nipping </script><b>tool' });
  const response = await shop.send('/');
  const html = await response.text();
  expect(response.status).toBe(200);
  expect(html).toContain('Nipping &lt;/script&gt;&lt;b&gt;tool');
  expect(html).not.toContain(name);
  for (const [tag, attributes] of html.matchAll(/<script([^>]*)>/g))
    expect(tag, attributes).toMatch(/src="\/static\/|type="application\/(ld\+)?json"/);
  expect(html).not.toMatch(/ style="/);
  const sheet = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
  const hash = createHash('sha256').update(sheet).digest('base64');
  expect(response.headers.get('content-security-policy')).toContain(`style-src 'self' 'sha256-${hash}'`);
});

test('a public page names itself to search engines by the address that the shop is set to', async () => {
  await using shop = await startShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
  const product = await shop.addProduct({ name: 'Broach' });
  const html = await (await shop.send('/?reviews=x')).text();
  expect(html).toContain('<link rel="canonical" href="https://shop.example/">');
  expect(html).toContain('<meta property="og:title" content="Hand tools for the repair of clocks');
  const [, image = ''] = /og:image" content="https:\/\/shop\.example([^"]+)"/.exec(html) ?? [];
  expect((await shop.send(image)).headers.get('content-type')).toBe('image/png');
  const [, structured = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
  const offers = { price: product.price, priceCurrency: 'USD' };
  expect(JSON.parse(structured)['@graph']).toMatchObject([
    { '@type': 'OnlineStore', url: 'https://shop.example/' },
    { '@type': 'Product', name: 'Broach', offers },
  ]);
  const [, manifest = ''] = /rel="manifest" href="([^"]+)"/.exec(html) ?? [];
  expect(await (await shop.send(manifest)).json()).toMatchObject({ start_url: '/', icons: [{}, {}] });
});

test('search engines find which pages there are, and where they may not look', async () => {
  await using shop = await startShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
  const robots = await (await shop.send('/robots.txt')).text();
  expect(robots).toContain('Disallow: /dashboard\n');
  expect(robots).toContain('Sitemap: https://shop.example/sitemap.xml\n');
  const sitemap = await shop.send('/sitemap.xml');
  expect(sitemap.headers.get('content-type')).toContain('application/xml');
  expect(await sitemap.text()).toContain('<loc>https://shop.example/blogs</loc>');
});

test('a page for signed-in people sends everybody else to sign in, and remembers the whole address', async () => {
  await using shop = await startShop();
  const response = await shop.send('/purchase/abc?from=list');
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe('/login?from=%2Fpurchase%2Fabc%3Ffrom%3Dlist');
});

test('an admin page sends a customer to sign in, remembers nothing and signs nobody out by itself', async () => {
  await using shop = await startShop();
  const customer = await shop.signUp();
  for (const path of ['users', 'allOrders', 'addProduct', 'manageProduct', 'audit', 'health']) {
    const response = await shop.send(`/dashboard/${path}`, {}, customer);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/login?reason=admin');
  }
  expect((await shop.send('/products', {}, customer)).status).toBe(200);
});

test('what a visitor sees is kept until a product changes; what a customer sees is theirs alone', async () => {
  await using shop = await startShop();
  const first = await shop.send('/');
  const etag = first.headers.get('etag') ?? '';
  expect(first.headers.get('cache-control')).toBe('public, no-cache');
  expect((await shop.send('/', { headers: { 'if-none-match': etag } })).status).toBe(304);

  await shop.addProduct({ name: 'Broach' });
  const second = await shop.send('/', { headers: { 'if-none-match': etag } });
  expect(second.status).toBe(200);
  expect(await second.text()).toContain('Broach');

  const customer = await shop.signUp('Clara Own');
  const own = await shop.send('/', {}, customer);
  expect(own.headers.get('cache-control')).toBe('private, no-cache');
  expect(own.headers.get('etag')).toBeNull();
  expect(await own.text()).toContain('Clara Own');
  expect(await (await shop.send('/')).text()).not.toContain('Clara Own');
});

test('the provider is let in on payment pages only', async () => {
  await using shop = await startShop();
  const { customer, order } = await place(shop);
  const policy = async (path: string) => {
    const response = await shop.send(path, {}, customer);
    expect(response.status).toBe(200);
    return response.headers.get('content-security-policy');
  };
  expect(await policy(`/dashboard/payment/${order}`)).toContain("frame-src 'self'");
  expect(await policy('/dashboard/myOrder')).not.toContain('frame-src');
});

test('whoever came by https is to come by https alone from then on; over http nobody is told so', async () => {
  const told = async (settings: Record<string, string>) => {
    await using shop = await startShop({ settings });
    return (await shop.send('/')).headers.get('strict-transport-security');
  };
  expect(await told({ PUBLIC_URL: 'https://shop.example' })).toBe('max-age=31536000');
  expect(await told({})).toBeNull();
});

test("somebody else's order and an unknown product are not found, as a page that says so", async () => {
  await using shop = await startShop();
  const { order } = await place(shop);
  const stranger = await shop.signUp();
  for (const path of [
    `/dashboard/payment/${order}`,
    '/purchase/none',
    '/nowhere',
    '/%zz',
    '/purchase/%',
    '/a%0ab',
  ]) {
    const response = await shop.send(path, {}, stranger);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('</html>');
  }
});

test('built files are compressed, kept for ever, and nothing beside them is served', async () => {
  await using shop = await startShop();
  const script = /src="(\/static\/js\/[^"]+)"/.exec(await (await shop.send('/')).text())?.[1] ?? '';
  const response = await shop.send(script, { headers: { 'accept-encoding': 'gzip, br' } });
  expect(response.headers.get('content-encoding')).toBe('br');
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('cache-control')).toContain('immutable');
  for (const path of ['/static/../../package.json', '/static/%2e%2e/manifest.json', `${script}.br`])
    expect((await shop.send(path)).headers.get('content-type')).toContain('text/html');
});

test('where the build could not be read when the shop started, the next page reads it', async () => {
  const root = makeFolder();
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['server', 'web']) mkdirSync(join(root, folder));
  const manifest: Manifest = {
    entry: '',
    server: 'entry.js',
    font: '',
    styles: '',
    stylesHash: '',
    pages: {},
    paths: {},
    files: {},
  };
  writeFileSync(join(root, 'manifest.json'), JSON.stringify(manifest));
  await using shop = await startShop();
  const settings = toWebSettings(shop.config, {
    stripe: { secretKey: '', publishableKey: '', webhookSecrets: [], apiUrl: '', jsUrl: '' },
    google: undefined,
  });
  const report = () => expect.unreachable();
  const renderer = createRenderer({ root, manifest, maxThreads: 1, report, reportOutput: report });
  onTestFinished(renderer.stop);
  const pages = createPages({ settings, stripeApiUrl: '', root, manifest, renderer, report });
  const show = () =>
    pages.page(new Request(shop.origin), {
      viewer: undefined,
      anonymous: true,
      requestId: '',
      call: () => expect.unreachable(),
    });
  await expect(show()).rejects.toThrow('entry.js');
  const entry = `export const load = async (page) => ({ page: { url: page.url } });
    export const render = async () => ({ status: 200, html: 'there' });`;
  writeFileSync(join(root, 'server/entry.js'), entry);
  expect(await (await show()).text()).toBe('there');
});

test('what a running shop opens a thread with has a name of its content, and so outlasts the next build', () => {
  const { server } = readManifest('dist');
  expect(server).toMatch(/^entry-server-[\w-]{8}\.js$/);
  expect(existsSync(join('dist/server', server))).toBe(true);
  const [, thread = ''] = /"(render-thread-[\w-]{8}\.js)"/.exec(readProgram('main.js')) ?? [];
  expect(existsSync(join('dist/shop', thread))).toBe(true);
});

/** The code of a built program, with the chunk that holds most of it. */
function readProgram(name: string): string {
  const code = readFileSync(join('dist/shop', name), 'utf8');
  const [, chunk = ''] = /"\.\/(start-[\w-]{8}\.js)"/.exec(code) ?? [];
  return code + readFileSync(join('dist/shop', chunk), 'utf8');
}
