import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import type { ShopDetails } from '../../contract/admin/shop-details.ts';
import { emptyFrame, type Manifest } from '../../contract/pages.ts';
import { makeFolder } from '../../tests/support/database.ts';
import { postImage } from '../../tests/support/image-upload.ts';
import type { TestUser } from '../../tests/support/requests.ts';
import { startShop } from '../../tests/support/shop.ts';
import { recordStatements } from '../../tests/support/statements.ts';
import { createPages, readManifest, toWebSettings } from './pages.ts';
import { createRenderer } from './renderer.ts';

type Shop = Awaited<ReturnType<typeof startShop>>;

async function placeOrder(shop: Shop) {
  const { _id, price } = await shop.addProduct();
  const customer = await shop.signUp();
  const body = { orderId: _id, orderQuantity: 1, price, user: customer.email };
  const { insertedId } = await shop.client(customer).call('placeOrder', { body });
  return { customer, order: insertedId };
}

test('a page escapes text, and contains only scripts and styles that its policy allows', async () => {
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
  const sheet = /<style[^>]*>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
  const hash = createHash('sha256').update(sheet).digest('base64');
  expect(response.headers.get('content-security-policy')).toContain(`style-src 'self' 'sha256-${hash}'`);
});

test('a page has exactly one of the two style sheets, in its head', async () => {
  await using shop = await startShop();
  const { _id } = await shop.addProduct();
  const tom = await shop.signUp();
  for (const [path, as, isInlined] of [
    ['/', undefined, true],
    ['/login', undefined, false],
    ['/blogs', undefined, false],
    ['/none', undefined, true],
    ['/products', tom, false],
    [`/purchase/${_id}`, tom, false],
    ['/purchase/none', tom, true],
    ['/dashboard/myOrder', tom, false],
    ['/dashboard/none', tom, true],
  ] as const) {
    const html = await (await shop.send(path, {}, as)).text();
    const [head = '', body = ''] = html.split('<body>');
    const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;
    const sheets = [count(head, /<style/g), count(head, /<link rel="stylesheet" href="\/static\/styles-/g)];
    expect([path, ...sheets]).toEqual([path, ...(isInlined ? [1, 0] : [0, 1])]);
    expect(body).not.toContain('rel="stylesheet"');
  }
});

test('a public page has canonical, Open Graph and JSON-LD metadata with URLs at PUBLIC_URL', async () => {
  await using shop = await startShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
  const html = await (await shop.send('/?reviews=x')).text();
  expect(html).toContain('<link rel="canonical" href="https://shop.example/">');
  expect(html).toContain('<meta property="og:title" content="Hand tools for the repair of clocks');
  const [, image = ''] = /og:image" content="https:\/\/shop\.example([^"]+)"/.exec(html) ?? [];
  expect((await shop.send(image)).headers.get('content-type')).toBe('image/png');
  const [, structured = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
  // Visitors cannot open the products.
  expect(JSON.parse(structured)['@graph']).toMatchObject([
    { '@type': 'OnlineStore', url: 'https://shop.example/' },
  ]);
  const [, manifest = ''] = /rel="manifest" href="([^"]+)"/.exec(html) ?? [];
  expect(await (await shop.send(manifest)).json()).toMatchObject({ start_url: '/', icons: [{}, {}] });
});

test('security.txt leads to the contact form, if there is one, and expires within a year', async () => {
  const PUBLIC_URL = 'https://shop.example';
  const path = '/.well-known/security.txt';
  await using closed = await startShop({ settings: { PUBLIC_URL } });
  expect((await closed.send(path)).status).toBe(404);
  await using shop = await startShop({ settings: { PUBLIC_URL, CONTACT_EMAIL: 'owner@mail.example' } });
  const response = await shop.send(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const text = await response.text();
  expect(text).toContain('Contact: https://shop.example/contact\n');
  expect(text).toContain(`Canonical: https://shop.example${path}\n`);
  const days = (Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '') - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(90);
  expect(days).toBeLessThan(365);
});

test('change-password redirects to the page on which users change the password, or to the sign-in', async () => {
  await using shop = await startShop();
  const { headers } = await shop.send('/.well-known/change-password');
  const page = headers.get('location') ?? '';
  for (const person of [await shop.signUp(), await shop.admin()])
    expect(await (await shop.send(page, {}, person)).text()).toContain('name="newPassword"');
  expect((await shop.send(page)).headers.get('location')).toBe(`/login?from=${encodeURIComponent(page)}`);
  expect((await shop.send('/.well-known/resource-that-should-not-exist')).status).toBe(404);
});

test('an order clears the cached pages, but the categories around them are not counted again', async () => {
  await using shop = await startShop();
  const { _id: id } = await shop.addProduct({ o_quantity: 1, a_quantity: 1 });
  const open = async () => {
    const { result, statementsOf } = await recordStatements(() => shop.send('/'));
    const counts = statementsOf(shop.database.db).filter(({ sql }) => sql.includes('recursive step'));
    return { isSoldOut: /sold out/i.test(await result.text()), counts: counts.length };
  };
  expect(await open()).toEqual({ isSoldOut: false, counts: 1 });
  const tom = await shop.signUp();
  const body = { orderId: id, orderQuantity: 1, price: 12.5, user: tom.email };
  await shop.client(tom).call('placeOrder', { body });
  expect(await open()).toEqual({ isSoldOut: true, counts: 0 });
  const edit = { params: { id }, body: { version: 1, category: 'Oiling' } };
  await shop.client(await shop.admin()).call('editProduct', edit);
  expect(await open()).toEqual({ isSoldOut: true, counts: 1 });
});

test('the home page links to the categories with the most products, each with its number of tools and its newest one', async () => {
  await using shop = await startShop();
  const admin = await shop.admin();
  const readTools = async () => {
    const html = await (await shop.send('/')).text();
    return /From the bench.*?<\/section>/s.exec(html)?.[0] ?? '';
  };
  const addTool = async (category: string, background: string) => {
    const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background } }).png();
    const img = await postImage(shop, admin, new Uint8Array(await pixel.toBuffer()));
    return shop.addProduct({ category, img });
  };
  await shop.addProduct();
  expect(await readTools()).not.toContain('category=');
  const bushing = await addTool('Pivots & bushings', 'red');
  await addTool('Oiling', 'green');
  const oiler = await addTool('Oiling', 'blue');
  const { _id: id } = await addTool('Oiling', 'black');
  await shop.client(admin).call('editProduct', { params: { id }, body: { version: 1, archived: true } });
  const tiles = [...(await readTools()).matchAll(/category=([^"]*).*?src="([^"]*)-240.*?<\/a>/gs)];
  expect(tiles.map(([, category, image]) => [category, image])).toEqual([
    ['Oiling', oiler.img.replace('-960.webp', '')],
    ['Pivots+%26+bushings', bushing.img.replace('-960.webp', '')],
  ]);
  const texts = tiles.map(([tile]) => tile.replaceAll(/^[^>]*>|<[^>]*>/g, ' ').trim());
  expect(texts).toEqual([
    expect.stringMatching(/^Oiling +2 tools$/),
    expect.stringMatching(/^Pivots &amp; bushings +1 tool$/),
  ]);
});

test('the footer shows the categories with most products, and the seller only after the owner has entered an address', async () => {
  await using shop = await startShop();
  const admin = await shop.admin();
  const customer = await shop.signUp();
  for (const letter of 'BCDEFG')
    for (const name of ['One', 'Two']) await shop.addProduct({ name, category: `${letter} tools` });
  await shop.addProduct({ category: 'A tools' });
  const readFooter = async (person?: TestUser) => {
    const html = await (await shop.send('/blogs', {}, person)).text();
    return /<footer.*<\/footer>/s.exec(html)?.[0] ?? '';
  };
  const footer = await readFooter();
  expect(footer.match(/>. tools</g)?.join('')).toBe('>B tools<>C tools<>D tools<>E tools<>F tools<>G tools<');
  expect(footer).toContain('href="/products?category=B+tools"');
  expect(footer).not.toContain('Fusee');
  const { version } = await shop.client(admin).call('getShopDetails', {});
  const details = { name: 'Hand-Tools Shop', address: '12 Fusee Lane\n<London>', taxId: '' };
  await shop.client(admin).call('saveShopDetails', { body: { ...details, version } });
  for (const person of [undefined, customer]) expect(await readFooter(person)).toContain('&lt;London&gt;');
});

test('a promise is on no page until the owner shows it, and then on all pages at once', async () => {
  await using shop = await startShop({ settings: { OPEN_CATALOGUE: 'yes' } });
  const admin = await shop.admin();
  const { customer, order } = await placeOrder(shop);
  const { _id: id } = await shop.addProduct();
  await shop.client(customer).call('setBasketLine', { params: { id }, body: { quantity: 1 } });
  const paths = {
    product: `/purchase/${id}`,
    basket: '/basket',
    payment: `/dashboard/payment/${order}`,
    home: '/',
  };
  /** Without the keys of forms, which differ from one response to the next. */
  const readPage = async (path: string, person?: TestUser) =>
    (await (await shop.send(path, {}, person)).text()).replaceAll(/[\da-f]{32}/g, '');
  const readPages = () =>
    Promise.all([
      readPage(paths.product),
      readPage(paths.home),
      ...Object.values(paths).map((path) => readPage(path, customer)),
    ]);
  let version = 0;
  const save = async (edit: Partial<ShopDetails>) => {
    const edited = { name: 'Hand-Tools Shop', ...edit, version };
    ({ version } = await shop.client(admin).call('saveShopDetails', { body: edited }));
  };
  const before = await readPages();
  for (const page of before) expect(page).not.toMatch(/promise|hasMerchantReturnPolicy|warranty/i);
  const written = {
    address: '1 Dial Lane\nPrescot\nUnited Kingdom',
    delivery: 'Sent within two days',
    returns: 'Send it back <within> 30 days',
    returnDays: 30,
    guarantee: 'Two years on every tool',
  };
  const { address } = written;
  await save({ address });
  const withAddress = await readPages();
  await save(written);
  expect(await readPages()).toEqual(withAddress);
  await save({ ...written, returnsShown: true, guaranteeShown: true });
  const [visitorPage = '', home, ...pages] = await readPages();
  for (const page of [visitorPage, home, ...pages]) {
    expect(page).not.toContain(written.delivery);
    expect(page).toMatch(
      /<footer.*Send it back &lt;within&gt; 30 days.*Two years on every tool.*<\/footer>/s,
    );
    expect(page).toMatch(/<main.*Send it back &lt;within&gt; 30 days.*Two years on every tool.*<\/main>/s);
  }
  const offer = JSON.parse(/ld\+json">(.*?)<\/script>/s.exec(visitorPage)?.[1] ?? '')['@graph'][0].offers;
  expect(offer).toMatchObject({
    hasMerchantReturnPolicy: {
      '@type': 'MerchantReturnPolicy',
      description: written.returns,
      returnPolicyCategory: 'https://schema.org/MerchantReturnFiniteReturnWindow',
      merchantReturnDays: 30,
      applicableCountry: 'GB',
    },
    warranty: { '@type': 'WarrantyPromise', description: written.guarantee },
  });
  // Google rejects a policy without a country.
  await save({ ...written, returnsShown: true, address: '1 Dial Lane\nPrescot' });
  expect(await readPage(paths.product)).not.toContain('hasMerchantReturnPolicy');
  await save({ ...written, guaranteeShown: true });
  expect(await readPage(paths.product)).not.toContain('hasMerchantReturnPolicy');
  await save({});
  expect(await readPages()).toEqual(before);
});

test('robots.txt and sitemap.xml list what search engines may index', async () => {
  await using shop = await startShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
  const robots = await (await shop.send('/robots.txt')).text();
  expect(robots).toContain('Disallow: /dashboard\n');
  expect(robots).toContain('Sitemap: https://shop.example/sitemap.xml\n');
  const sitemap = await shop.send('/sitemap.xml');
  expect(sitemap.headers.get('content-type')).toContain('application/xml');
  expect(await sitemap.text()).toContain('<loc>https://shop.example/blogs</loc>');
});

test('a page for signed-in users redirects to the sign-in with its whole URL', async () => {
  await using shop = await startShop();
  const response = await shop.send('/purchase/abc?from=list');
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe('/login?from=%2Fpurchase%2Fabc%3Ffrom%3Dlist');
});

test('an admin page redirects a customer to the sign-in without a return URL and does not sign them out', async () => {
  await using shop = await startShop();
  const customer = await shop.signUp();
  for (const path of ['users', 'allOrders', 'addProduct', 'manageProduct', 'audit', 'health']) {
    const response = await shop.send(`/dashboard/${path}`, {}, customer);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/login?reason=admin');
  }
  expect((await shop.send('/products', {}, customer)).status).toBe(200);
});

test('a visitor’s page is cached until a product changes; a customer’s page is not cached', async () => {
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

test('only payment pages allow frames', async () => {
  await using shop = await startShop();
  const { customer, order } = await placeOrder(shop);
  const policy = async (path: string) => {
    const response = await shop.send(path, {}, customer);
    expect(response.status).toBe(200);
    return response.headers.get('content-security-policy');
  };
  expect(await policy(`/dashboard/payment/${order}`)).toContain("frame-src 'self'");
  expect(await policy('/dashboard/myOrder')).not.toContain('frame-src');
});

test('Strict-Transport-Security is sent over https only', async () => {
  const readHeader = async (settings: Record<string, string>) => {
    await using shop = await startShop({ settings });
    return (await shop.send('/')).headers.get('strict-transport-security');
  };
  expect(await readHeader({ PUBLIC_URL: 'https://shop.example' })).toBe('max-age=31536000');
  expect(await readHeader({})).toBeNull();
});

test("someone else's order and an unknown product are a 404 page", async () => {
  await using shop = await startShop();
  const { order } = await placeOrder(shop);
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

test('built files are compressed and immutable, and no other files are served', async () => {
  await using shop = await startShop();
  const script = /src="(\/static\/js\/[^"]+)"/.exec(await (await shop.send('/')).text())?.[1] ?? '';
  const response = await shop.send(script, { headers: { 'accept-encoding': 'gzip, br' } });
  expect(response.headers.get('content-encoding')).toBe('br');
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('cache-control')).toContain('immutable');
  for (const path of ['/static/../../package.json', '/static/%2e%2e/manifest.json', `${script}.br`])
    expect((await shop.send(path)).headers.get('content-type')).toContain('text/html');
});

test('if the pages’ code could not be loaded, the next page loads it', async () => {
  const root = makeFolder();
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['server', 'web']) mkdirSync(join(root, folder));
  const manifest: Manifest = {
    entry: '',
    server: 'entry.js',
    mail: '',
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
  const readFrame = async () => emptyFrame;
  const options = { settings, readFrame, stripeApiUrl: '', root, manifest, renderer, report };
  const pages = createPages(options);
  const render = () =>
    pages.servePage(new Request(shop.origin), {
      viewer: undefined,
      anonymous: true,
      requestId: '',
      call: () => expect.unreachable(),
    });
  await expect(render()).rejects.toThrow('entry.js');
  const entry = `export const load = async (page) => ({ page: { url: page.url } });
    export const render = async () => ({ status: 200, html: 'loaded' });`;
  writeFileSync(join(root, 'server/entry.js'), entry);
  expect(await (await render()).text()).toBe('loaded');
});

test('the files that threads load have hashed names, so they outlast the next build', () => {
  const { server } = readManifest('dist');
  expect(server).toMatch(/^entry-server-[\w-]{8}\.js$/);
  expect(existsSync(join('dist/server', server))).toBe(true);
  const [, thread = ''] = /"(render-thread-[\w-]{8}\.js)"/.exec(readProgram('main.js')) ?? [];
  expect(existsSync(join('dist/shop', thread))).toBe(true);
});

/** The code of a built program and of its main chunk. */
function readProgram(name: string): string {
  const code = readFileSync(join('dist/shop', name), 'utf8');
  const [, chunk = ''] = /"\.\/(start-[\w-]{8}\.js)"/.exec(code) ?? [];
  return code + readFileSync(join('dist/shop', chunk), 'utf8');
}

test('the phone menu of the dashboard names the current page', async () => {
  await using shop = await startShop();
  const [tom, admin] = [await shop.signUp(), await shop.admin()];
  const readMenuTitle = async (path: string, person: TestUser) => {
    const html = await (await shop.send(path, {}, person)).text();
    return /Dashboard<\/span>([^<]*)<\/span>/.exec(html)?.[1];
  };
  expect(await readMenuTitle('/dashboard', tom)).toBe('My Profile');
  expect(await readMenuTitle('/dashboard/myOrder', tom)).toBe('My Orders');
  // An admin's menu does not have these pages.
  for (const [path, name] of [
    ['/dashboard', 'Overview'],
    ['/dashboard/account', 'Sign-in and security'],
    ['/dashboard/myOrder', 'My Orders'],
    ['/dashboard/review', 'Add Review'],
    ['/dashboard/users', 'All Users'],
  ] as const)
    expect(await readMenuTitle(path, admin)).toBe(name);
});

test('an unknown `done` in the address of Add Review shows no notice', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  for (const done of ['__proto__', 'constructor', 'nothing']) {
    const response = await shop.send(`/dashboard/review?done=${done}`, {}, tom);
    expect([done, response.status]).toEqual([done, 200]);
  }
});

test('links to your account lead to the page with the sign-in methods: an admin’s is not the overview', async () => {
  await using shop = await startShop();
  const [ada, tom] = [await shop.admin(), await shop.signUp()];
  const findLinks = async (path: string, person: TestUser) => {
    const html = await (await shop.send(path, {}, person)).text();
    return [...html.matchAll(/<a [^>]*>(?:your account|Back to your account|Keep it|confirm it)</g)].map(
      ([link]) => /href="([^"]*)"/.exec(link)?.[1],
    );
  };
  for (const [path, count] of [
    ['/confirm-address?token=x', 1],
    ['/dashboard/two-factor', 1],
    ['/dashboard/passkeys', 1],
    ['/dashboard/delete-account', 2],
  ] as const) {
    expect([path, await findLinks(path, tom)]).toEqual([path, Array(count).fill('/dashboard')]);
    expect([path, await findLinks(path, ada)]).toEqual([path, Array(count).fill('/dashboard/account')]);
  }
});

test('an address with a trailing slash redirects to the page without it, and never to another site', async () => {
  await using shop = await startShop({ settings: { OPEN_CATALOGUE: 'yes' } });
  const read = async (path: string) => {
    const { status, headers } = await shop.send(path);
    return [status, headers.get('location')];
  };
  expect(await read('/products/?q=pin')).toEqual([301, '/products?q=pin']);
  expect(await read('/products//')).toEqual([301, '/products']);
  expect((await read('/'))[0]).toBe(200);
  for (const path of ['//elsewhere.example/', '//products', '//', '///'])
    expect([path, ...(await read(path))]).toEqual([path, 404, null]);
});
