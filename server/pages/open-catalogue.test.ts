import { expect, test } from 'vitest';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

const settings = { OPEN_CATALOGUE: 'yes', PUBLIC_URL: 'https://shop.example' };

async function readPage(shop: TestShop, path: string): Promise<string> {
  const response = await shop.send(path);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

test('with OPEN_CATALOGUE, visitors read products and get a sign-in in place of the order form', async () => {
  await using shop = await startShop({ settings });
  const { _id, name } = await shop.addProduct({ name: 'Broach' });
  expect(await readPage(shop, '/products')).toContain(`href="/purchase/${_id}"`);
  const html = await readPage(shop, `/purchase/${_id}`);
  expect(html).toContain(name);
  expect(html).toContain('Sign in to order');
  expect(html).toContain('Create an account');
  expect(html).not.toContain('Place order');
});

test('a visitor who signs in or up to order returns with the quantity, even without scripts', async () => {
  await using shop = await startShop({ settings });
  const { _id } = await shop.addProduct({ a_quantity: 9 });
  const path = `/purchase/${_id}`;
  const from = encodeURIComponent(`${path}?orderQuantity=7`);
  for (const page of ['login', 'signup']) {
    const response = await shop.send(`${path}?orderQuantity=7&continue=${page}`);
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(`/${page}?from=${from}`);
  }
  const customer = await shop.signUp();
  const signedIn = await shop.send(`/login?from=${from}`, {}, customer);
  expect(signedIn.headers.get('location')).toBe(`${path}?orderQuantity=7`);
  const html = await (await shop.send(`${path}?orderQuantity=7`, {}, customer)).text();
  expect(html).toContain('Place order');
  expect(html).toMatch(/<input[^>]* name="orderQuantity"[^>]* value="7"/);
});

test('a visitor cannot order, and an archived or sold-out product offers no sign-in to order', async () => {
  await using shop = await startShop({ settings });
  const [shown, soldOut, archived] = [
    await shop.addProduct(),
    await shop.addProduct({ a_quantity: 0 }),
    await shop.addProduct(),
  ];
  const admin = await shop.admin();
  const body = { version: archived.version, archived: true };
  await shop.client(admin).call('editProduct', { params: { id: archived._id }, body });
  const form = new URLSearchParams({ orderQuantity: '1', price: '12.5' });
  const headers = { origin: shop.origin, 'content-type': 'application/x-www-form-urlencoded' };
  const posted = await shop.send(`/purchase/${shown._id}`, { method: 'POST', body: form, headers });
  expect(posted.status).toBe(303);
  expect(posted.headers.get('location')).toMatch(/^\/login\?from=/);
  for (const [{ _id }, status] of [
    [soldOut, 'Sold out'],
    [archived, 'No longer sold'],
  ] as const) {
    const html = await readPage(shop, `/purchase/${_id}`);
    expect(html).toContain(status);
    expect(html).not.toContain('Sign in to order');
  }
});

/** The head's canonical URL, its robots rule and the properties of the link preview. */
function readHead(html: string) {
  const read = (pattern: RegExp) => pattern.exec(html)?.[1];
  return {
    canonical: read(/<link rel="canonical" href="([^"]*)"/),
    robots: read(/<meta name="robots" content="([^"]*)"/),
    url: read(/<meta property="og:url" content="([^"]*)"/),
    title: read(/<meta property="og:title" content="([^"]*)"/),
    description: read(/<meta property="og:description" content="([^"]*)"/),
    image: read(/<meta property="og:image" content="([^"]*)"/),
    alt: read(/<meta property="og:image:alt" content="([^"]*)"/),
    card: read(/<meta name="twitter:card" content="([^"]*)"/),
  };
}

test('a product page has one canonical URL and a preview with its name, text and image', async () => {
  await using shop = await startShop({ settings });
  const product = await shop.addProduct({ name: 'Broach "fine"', description: 'Opens <small> holes.' });
  const canonical = `https://shop.example/purchase/${product._id}`;
  for (const path of ['', '?orderQuantity=3&utm_source=mail', '?reviews=best'].map(
    (end) => `/purchase/${product._id}${end}`,
  ))
    expect([path, readHead(await readPage(shop, path))]).toEqual([
      path,
      {
        canonical,
        robots: undefined,
        url: canonical,
        card: 'summary_large_image',
        title: 'Broach &quot;fine&quot; – Hand-Tools Shop'.replace('–', '&#8211;'),
        description: 'Opens &lt;small&gt; holes.',
        image: `https://shop.example${product.img}`,
        alt: 'Broach &quot;fine&quot;',
      },
    ]);
  const withSlash = await shop.send(`/purchase/${product._id}/`);
  expect([withSlash.status, withSlash.headers.get('location')]).toEqual([301, `/purchase/${product._id}`]);
  expect(readHead(await readPage(shop, `/PURCHASE/${product._id}`)).canonical).toBe(canonical);
  const image = await shop.send(product.img);
  expect([image.status, image.headers.get('cross-origin-resource-policy')]).toEqual([200, 'cross-origin']);
});

test('a link to the reviews after a deleted review leads to the first reviews', async () => {
  await using shop = await startShop({ settings });
  const path = `/purchase/${(await shop.addProduct())._id}`;
  const response = await shop.send(`${path}?reviews=best&after=deleted`);
  expect([response.status, response.headers.get('location')]).toEqual([302, `${path}?reviews=best`]);
});

test('search engines index the catalogue by page and category, and no other filters, searches or archived products', async () => {
  await using shop = await startShop({ settings });
  const { _id, version } = await shop.addProduct({ category: 'Broaches' });
  const at = (query: string) => readPage(shop, `/products${query}`).then(readHead);
  const base = 'https://shop.example/products';
  for (const [query, canonical] of [
    ['', base],
    ['?utm_source=mail', base],
    [`?after=${_id}&category=Broaches`, `${base}?category=Broaches&amp;after=${_id}`],
  ] as const)
    expect([query, await at(query)]).toMatchObject([query, { canonical, robots: undefined }]);
  const unknown = '?category=Buy+watches+at+elsewhere.example';
  const others = [unknown, `${unknown}&after=${_id}`];
  for (const query of [
    '?q=broach',
    '?category=Broaches&inStock=true',
    '?sort=price',
    '?minPrice=1',
    ...others,
  ])
    expect([query, await at(query)]).toMatchObject([query, { robots: 'noindex' }]);
  const body = { version, archived: true };
  await shop.client(await shop.admin()).call('editProduct', { params: { id: _id }, body });
  expect(readHead(await readPage(shop, `/purchase/${_id}`)).robots).toBe('noindex');
});

test('without OPEN_CATALOGUE, a product page has no preview of its own', async () => {
  await using shop = await startShop();
  const { _id, img } = await shop.addProduct();
  const html = await (await shop.send(`/purchase/${_id}`, {}, await shop.signUp())).text();
  expect(readHead(html).image).toContain('share');
  expect(readHead(html).image).not.toContain(img);
});
