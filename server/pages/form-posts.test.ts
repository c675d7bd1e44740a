import { Hono } from 'hono';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import { countryCodes } from '../../contract/delivery/countries.ts';
import { maxRates, maxZones } from '../../contract/delivery/shipping-rates.ts';
import type { TestUser } from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { callInProcess } from '../http/calls/route.ts';
import type { Env } from '../http/request-context.ts';

type Fields = Record<string, string>;

/** Posts a form as a browser without scripts does. */
const post = (shop: TestShop, path: string, fields: Fields | FormData, person?: TestUser) =>
  shop.send(
    path,
    { method: 'POST', body: fields instanceof FormData ? fields : new URLSearchParams(fields) },
    person,
  );

const readRedirect = (response: Response) => [response.status, response.headers.get('location')];

/** The key that the server rendered into a form. */
async function readKey(shop: TestShop, path: string, person: TestUser): Promise<string> {
  const html = await (await shop.send(path, {}, person)).text();
  return /name="key" value="([^"]+)"/.exec(html)?.[1] ?? expect.unreachable();
}

/** The hidden and read-only fields of a product's order form. */
const orderFields = ({ _id, name }: Product, { email }: TestUser): Fields => ({
  form: 'order',
  orderId: _id,
  product: name,
  user: email,
  range: '1 100',
});

/** The hidden and read-only fields of the profile form. */
const profileFields = ({ email }: TestUser): Fields => ({
  form: 'profile',
  email,
  name: 'Tom',
  savedLinkedIn: '',
});

const listOrders = (shop: TestShop, person: TestUser) =>
  shop.client(person).call('listOwnOrders', { query: { user: person.email } });

async function placeOrder(shop: TestShop, person: TestUser): Promise<string> {
  const { _id: orderId } = await shop.addProduct();
  const body = { orderId, orderQuantity: 2, price: 25, user: person.email };
  return (await shop.client(person).call('placeOrder', { body })).insertedId;
}

/** The hidden `viewer` field of the forms on a user's pages. */
async function readViewer(shop: TestShop, person: TestUser): Promise<string> {
  const html = await (await shop.send('/dashboard', {}, person)).text();
  return /name="viewer" value="([^"]+)"/.exec(html)?.[1] ?? expect.unreachable();
}

function imageForm(fields: Fields, image?: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('image', new File(image ? [image] : [], image ? 'bench.png' : ''));
  return form;
}

const pixel = async () =>
  new Uint8Array(
    await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
      .png()
      .toBuffer(),
  );

test('a form from another site is a 403 and changes nothing', async () => {
  await using shop = await startShop();
  const [ada, product] = [await shop.admin(), await shop.addProduct()];
  const forms: [string, Fields][] = [
    ['/login', { email: ada.email, password: ada.password }],
    ['/signup', { name: 'Eve', email: 'eve@example.com', password: 'anchor-escapement' }],
    [`/purchase/${product._id}`, { orderQuantity: '1', price: '12.5' }],
    ['/dashboard?index', { address: 'A', phone: '1', education: 'E', linkedIn: 'in/eve' }],
    [
      '/dashboard?index',
      { form: 'password', currentPassword: ada.password, newPassword: 'another-escapement' },
    ],
    ['/dashboard/review', { rating: '5', reviews: 'Good', img: product.img }],
    ['/dashboard/addProduct', { name: 'Spam', email: ada.email, price: '1', img: product.img }],
    ['/dashboard/myOrder', { order: product._id }],
    ['/sign-out', {}],
  ];
  for (const [path, fields] of forms) {
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}]) {
      const request = new Request(shop.origin + path, {
        method: 'POST',
        headers: { ...headers, cookie: ada.cookie },
        body: new URLSearchParams(fields),
      });
      const response = await shop.fetch(request);
      expect([path, response.status, response.headers.getSetCookie()]).toEqual([path, 403, []]);
    }
  }
  expect(await listOrders(shop, ada)).toEqual([]);
  expect(await shop.client().call('listReviews', { query: {} })).toEqual([]);
  expect(await shop.client().call('listProducts', { query: {} })).toHaveLength(1);
  const people = await shop.client(ada).call('listUsers', { query: {} });
  expect(people.find(({ email }) => email === ada.email)).toMatchObject({ address: '', linkedIn: '' });
  expect(people.map(({ name }) => name)).not.toContain('Eve');
  await shop.signIn(ada.email, ada.password);
});

test('a form without a session is redirected like its page', async () => {
  await using shop = await startShop();
  const { _id } = await shop.addProduct();
  for (const path of [
    `/purchase/${_id}`,
    '/dashboard/myOrder',
    '/dashboard/review',
    '/dashboard/addProduct',
  ]) {
    const [urlEncoded, multipart] = [{ orderQuantity: '1' }, imageForm({}, await pixel())];
    for (const form of [urlEncoded, multipart])
      expect(readRedirect(await post(shop, path, form))).toEqual([
        303,
        `/login?from=${encodeURIComponent(path)}`,
      ]);
  }
  const tom = await shop.signUp();
  expect(readRedirect(await post(shop, '/dashboard/addProduct', {}, tom))).toEqual([
    303,
    '/login?reason=admin',
  ]);
});

test('an order form posted twice places one order; a changed form places another', async () => {
  await using shop = await startShop();
  const [tom, product] = [await shop.signUp(), await shop.addProduct()];
  const path = `/purchase/${product._id}`;
  const form = {
    ...orderFields(product, tom),
    key: await readKey(shop, path, tom),
    price: '12.5',
    orderQuantity: '2',
    address: '1 Mill Lane\r\nYork',
  };
  const both = await Promise.all([post(shop, path, form, tom), post(shop, path, form, tom)]);
  const [first, ...more] = await listOrders(shop, tom);
  for (const response of both)
    expect(readRedirect(response)).toEqual([303, `/dashboard/payment/${first?._id}?done=ordered`]);
  expect(more).toEqual([]);
  expect(first).toMatchObject({ orderQuantity: 2, price: 25, address: '1 Mill Lane\nYork', user: tom.email });
  await post(shop, path, { ...form, orderQuantity: '3' }, tom);
  expect(await listOrders(shop, tom)).toHaveLength(2);
});

test('an order at an outdated price is a 409 with the current price, and nothing is stored', async () => {
  await using shop = await startShop();
  const [tom, product] = [await shop.signUp(), await shop.addProduct()];
  const fields = { ...orderFields(product, tom), price: '1', orderQuantity: '2', phone: '0117 4960' };
  const response = await post(shop, `/purchase/${product._id}`, fields, tom);
  expect(response.status).toBe(409);
  const html = await response.text();
  expect(html).toContain('value="0117 4960"');
  expect(html).toContain('name="price" value="12.5"');
  expect(html).toMatch(/role="alert"[^>]*>The price is now USD 12\.50 each/);
  expect(await listOrders(shop, tom)).toEqual([]);
});

test('an invalid address or phone is reported at its field', async () => {
  await using shop = await startShop();
  const [tom, product] = [await shop.signUp(), await shop.addProduct()];
  const { _id } = product;
  const long = 'a'.repeat(301);
  const fields = {
    ...orderFields(product, tom),
    price: '12.5',
    orderQuantity: '2',
    address: long,
    phone: long,
  };
  const response = await post(shop, `/purchase/${_id}`, fields, tom);
  expect(response.status).toBe(422);
  const html = await response.text();
  expect(html).toMatch(/id="address-error"[^>]*>.*?Address/s);
  expect(html).toMatch(/id="phone-error"[^>]*>.*?Phone/s);
  expect(html).not.toMatch(/<div[^>]*role="alert"/);
  expect(await listOrders(shop, tom)).toEqual([]);
  const badPrice = await post(
    shop,
    `/purchase/${_id}`,
    { ...fields, price: '-1', address: '', phone: '' },
    tom,
  );
  expect(badPrice.status).toBe(422);
  expect(await badPrice.text()).toMatch(/role="alert"[^>]*>Price/);
});

test('two hand-made posts without a form key are two orders', async () => {
  await using shop = await startShop();
  const [tom, product] = [await shop.signUp(), await shop.addProduct()];
  const fields = { ...orderFields(product, tom), price: '12.5', orderQuantity: '2' };
  for (const _ of [1, 2]) await post(shop, `/purchase/${product._id}`, fields, tom);
  expect(await listOrders(shop, tom)).toHaveLength(2);
});

test('a form that was shown to another account is a 409 and keeps the input', async () => {
  await using shop = await startShop();
  const [tom, ada, product] = [await shop.signUp(), await shop.admin(), await shop.addProduct()];
  const { _id, img } = product;
  const numbers = { price: '12.5', o_quantity: '1', a_quantity: '9' };
  const forms: [string, Fields][] = [
    [
      `/purchase/${_id}`,
      { ...orderFields(product, ada), orderQuantity: '2', price: '12.5', phone: 'As typed' },
    ],
    [
      '/dashboard?index',
      { ...profileFields(ada), address: 'As typed', phone: '1', education: 'E', linkedIn: 'in/tom' },
    ],
    ['/dashboard/review', { form: 'review', rating: '5', reviews: 'As typed', img }],
    ['/dashboard/addProduct', { name: 'As typed', email: ada.email, description: 'D', img, ...numbers }],
  ];
  const readShop = async () => [
    await listOrders(shop, ada),
    await shop.client().call('listReviews', { query: {} }),
    await shop.client().call('listProducts', { query: {} }),
    (await shop.client(ada).call('listUsers', { query: {} })).map(({ address }) => address),
  ];
  const before = await readShop();
  const tomId = await readViewer(shop, tom);
  const adaId = await readViewer(shop, ada);
  for (const [path, fields] of forms) {
    const shown = await (await shop.send(path.replace('?index', ''), {}, ada)).text();
    expect([path, shown.match(/name="viewer" value="([^"]+)"/)?.[1]]).toEqual([path, adaId]);
    const response = await post(shop, path, { ...fields, viewer: tomId }, ada);
    expect([path, response.status]).toEqual([path, 409]);
    const html = await response.text();
    expect(html).toMatch(/role="alert"[^>]*>You are now signed in as .* Nothing was sent\./);
    expect(html).toContain('As typed');
  }
  expect(await readShop()).toEqual(before);
  for (const [path, fields] of forms)
    expect((await post(shop, path, { ...fields, viewer: adaId }, ada)).status).toBe(303);
});

/** The value that a form's field is rendered with. */
const readField = (html: string, name: string): string | undefined =>
  new RegExp(`<textarea[^>]* name="${name}"[^>]*>([^<]*)<`).exec(html)?.[1] ??
  /value="([^"]*)"/.exec(new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(html)?.[0] ?? '')?.[1];

test('the edit form of an earlier release, without a field that was added since, keeps the field', async () => {
  await using shop = await startShop();
  const [ada, product] = [await shop.admin(), await shop.addProduct({ facts: 'Height: 62 mm' })];
  const path = `/dashboard/products/${product._id}`;
  const { name, description, img, version } = product;
  const shown = {
    name,
    description,
    price: '12.5',
    o_quantity: '1',
    category: '',
    lowStock: '',
  };
  const form = {
    ...shown,
    form: 'product',
    product: product._id,
    description: 'Measures any pivot.',
    images: img,
    base: JSON.stringify({ ...shown, images: img, version }),
    confirmedPrice: '',
    viewer: await readViewer(shop, ada),
  };
  expect(readRedirect(await post(shop, path, form, ada))).toEqual([303, `${path}?done=saved`]);
  const saved = await shop.client().call('getProduct', { params: { id: product._id } });
  expect([saved.description, saved.facts]).toEqual(['Measures any pivot.', 'Height: 62 mm']);
});

test('a form that is shown again to another user has that user’s contact details; the message repeats the typed ones', async () => {
  await using shop = await startShop();
  const [tom, ada, product] = [await shop.signUp(), await shop.signUp('Ada'), await shop.addProduct()];
  const { _id } = product;
  const adas = { address: '2 Ada Row', phone: '22', education: 'Ada’s', linkedIn: 'in/ada' };
  const client = shop.client(ada);
  await client.call('saveUser', { params: { email: ada.email }, body: { user: ada.email, ...adas } });
  await client.call('setBasketLine', { params: { id: _id }, body: { quantity: 2 } });
  const viewer = await readViewer(shop, tom);
  const delivery = { address: '1 Tom Row', phone: '11' };
  const forms: [string, Fields, Fields][] = [
    [
      `/purchase/${_id}`,
      { ...orderFields(product, tom), price: '12.5', orderQuantity: '3', ...delivery },
      { orderQuantity: '3' },
    ],
    ['/basket', { form: 'place', lines: `${_id} 2 12.5`, ...delivery }, {}],
    ['/dashboard?index', { form: 'profile', ...delivery, education: 'Tom’s', linkedIn: 'in/tom' }, adas],
    ['/dashboard?index', { form: 'email', newEmail: 'tom2@example.com' }, { newEmail: '' }],
  ];
  for (const [path, fields, expected] of forms) {
    const response = await post(shop, path, { ...fields, viewer }, ada);
    expect([path, response.status]).toEqual([path, 409]);
    const html = await response.text();
    const shown = { address: adas.address, phone: adas.phone, ...expected };
    const read = Object.keys(shown).map((name) => [name, readField(html, name)]);
    expect([path, Object.fromEntries(read)]).toEqual([path, shown]);
    const message = /You are now signed in as[^<]*/.exec(html)?.[0] ?? '';
    expect(message).toContain('Nothing was sent.');
    expect(message).toContain('Check the form, and send it again to continue as Ada.');
    for (const typed of [fields.address, fields.phone, fields.newEmail])
      if (typed) expect(message).toContain(typed);
  }
  expect(await listOrders(shop, ada)).toEqual([]);
});

test('every form of a signed-in user names that user, so that it is not sent as another user', async () => {
  await using shop = await startShop();
  const [ada, { _id }] = [await shop.admin(), await shop.addProduct()];
  const soldOut = await shop.addProduct({ a_quantity: 0 });
  const client = shop.client(ada);
  await client.call('setBasketLine', { params: { id: _id }, body: { quantity: 2 } });
  const order = await placeOrder(shop, ada);
  const { number } = await client.call('getOrder', { params: { id: order } });
  const paths = [
    `/purchase/${_id}`,
    `/purchase/${soldOut._id}`,
    '/basket',
    '/dashboard',
    '/dashboard/review',
    `/dashboard/myOrder?delete=${order}`,
    `/dashboard/orders/${number}`,
    '/dashboard/delete-account',
    '/dashboard/addProduct',
    `/dashboard/products/${_id}`,
    `/dashboard/products/${_id}/stock`,
    '/dashboard/shop',
    '/dashboard/delivery',
    '/dashboard/health',
  ];
  let formCount = 0;
  for (const path of paths) {
    const response = await shop.send(path, {}, ada);
    expect([path, response.status]).toEqual([path, 200]);
    const forms = (await response.text()).match(/<form(?=[^>]*method="post").*?<\/form>/gs) ?? [];
    const unnamed = forms.filter(
      (form) => !/action="\/(signOut|sign-out|newsletter)/.test(form) && !form.includes('name="viewer"'),
    );
    expect([path, unnamed]).toEqual([path, []]);
    formCount += forms.length;
  }
  expect(formCount).toBeGreaterThan(30);
});

describe('deleting an order', () => {
  test('asks for confirmation; showing the question deletes nothing', async () => {
    await using shop = await startShop();
    const tom = await shop.signUp();
    const id = await placeOrder(shop, tom);
    const html = await (await shop.send(`/dashboard/myOrder?delete=${id}`, {}, tom)).text();
    expect(html).toContain(`name="order" value="${id}"`);
    expect(await listOrders(shop, tom)).toHaveLength(1);
    expect(readRedirect(await post(shop, '/dashboard/myOrder', { form: 'delete', order: id }, tom))).toEqual([
      303,
      '/dashboard/myOrder?done=deleted',
    ]);
    expect(await listOrders(shop, tom)).toEqual([]);
    const repeated = await post(shop, '/dashboard/myOrder', { form: 'delete', order: id }, tom);
    expect(repeated.status).toBe(404);
    expect(await repeated.text()).toMatch(/role="alert"[^>]*>[A-Z]/);
  });

  test('is rejected for someone else’s order and for a question shown to another account', async () => {
    await using shop = await startShop();
    const [tom, ada] = [await shop.signUp(), await shop.admin()];
    const id = await placeOrder(shop, tom);
    const eve = await shop.signUp('Eve');
    expect((await shop.send(`/dashboard/myOrder?delete=${id}`, {}, eve)).status).toBe(200);
    expect((await post(shop, '/dashboard/myOrder', { form: 'delete', order: id }, eve)).status).toBe(404);
    expect((await post(shop, '/dashboard/myOrder', { form: 'delete' }, eve)).status).toBe(404);
    const viewer = await readViewer(shop, tom);
    expect((await post(shop, '/dashboard/myOrder', { form: 'delete', order: id, viewer }, ada)).status).toBe(
      409,
    );
    expect(await listOrders(shop, tom)).toHaveLength(1);
  });
});

test('the response to a form is not cached, and the cached page does not change', async () => {
  await using shop = await startShop();
  const page = await (await shop.send('/login')).text();
  const response = await post(shop, '/login', { email: 'someone@example.com', password: '123' });
  expect([response.status, response.headers.get('cache-control'), response.headers.get('etag')]).toEqual([
    422,
    'no-store',
    null,
  ]);
  expect(await response.text()).toContain('someone@example.com');
  expect(await (await shop.send('/login')).text()).toBe(page);
});

test('a submitted password is never sent back', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const forms: [string, Fields, TestUser?][] = [
    ['/login', { email: 'no', password: 'hush-hush' }],
    ['/login', { email: tom.email, password: 'hush-hush' }],
    ['/signup', { name: '', email: tom.email, password: 'hush-hush' }],
    ['/dashboard?index', { form: 'password', currentPassword: 'hush-hush', newPassword: 'hush' }, tom],
    ['/dashboard?index', { form: 'password', currentPassword: 'hush-hush', newPassword: 'hush-hush2' }, tom],
  ];
  for (const [path, fields, person] of forms) {
    const response = await post(shop, path, fields, person);
    expect([path, response.status]).toEqual([path, expect.toSatisfy((status: number) => status >= 400)]);
    expect(await response.text()).not.toContain('hush-hush');
  }
});

test('posted sign-ins are rate limited and logged', async () => {
  await using shop = await startShop({ rateLimits: { signInsPerAddressAndEmail: 2 } });
  const tom = await shop.signUp();
  const guess = () => post(shop, '/login', { email: tom.email, password: 'not-the-password' });
  expect([(await guess()).status, (await guess()).status]).toEqual([401, 401]);
  const response = await guess();
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.text()).toContain('Too many attempts.');
  const events = shop.logged.filter((line) => 'security' in line && line.security === '/sign-in/email');
  expect(events).toHaveLength(3);
});

test('a body has a size limit, and only the content types of HTML forms are read', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const large = 'a'.repeat(100_001);
  expect((await post(shop, '/login', { email: large })).status).toBe(413);
  expect((await post(shop, '/dashboard/review', imageForm({ reviews: large }), tom)).status).toBe(413);
  for (const type of ['application/json', 'text/plain', '']) {
    const init = { method: 'POST', body: new Blob(['{}']), headers: { 'content-type': type } };
    expect((await shop.send('/login', init)).status).toBe(415);
  }
  for (const extra of [1, 300_000]) {
    const image = new Uint8Array(10 * 1024 * 1024 + extra);
    const form = imageForm({ form: 'review', rating: '5', reviews: 'Held up well' }, image);
    const response = await post(shop, '/dashboard/review', form, tom);
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(html).toContain('This image is too large');
    expect(html).toContain('Held up well');
  }
});

test('a form has at most 1,500 fields', async () => {
  await using shop = await startShop();
  const send = (fields: number) =>
    shop.send('/login', { method: 'POST', body: new URLSearchParams('a&'.repeat(fields).slice(0, -1)) });
  expect((await send(1500)).status).toBe(422);
  for (const fields of [1501, 50_000]) expect((await send(fields)).status).toBe(413);
});

test('a post without a form’s name is a 400, unless its page has only one form', async () => {
  await using shop = await startShop();
  const [ada, product] = [await shop.admin(), await shop.addProduct()];
  const order = { ...orderFields(product, ada), orderQuantity: '2', price: '12.5' };
  for (const form of ['', 'no such form'])
    expect((await post(shop, `/purchase/${product._id}`, { ...order, form }, ada)).status).toBe(400);
  expect(await listOrders(shop, ada)).toEqual([]);
  for (const path of ['/dashboard/myOrder', '/dashboard/review', `/dashboard/products/${product._id}`])
    expect([path, (await post(shop, path, {}, ada)).status]).toEqual([path, 400]);
  const unknown = await post(shop, '/login/code', { code: '123456' });
  expect(unknown.status).toBe(400);
  expect(await unknown.text()).toContain('<title>This form has changed ');
  const { email, password } = ada;
  expect(readRedirect(await post(shop, '/login', { email, password }))).toEqual([303, '/']);
});

test('POST to a page without a form is a 405', async () => {
  await using shop = await startShop();
  for (const path of ['/', '/blogs']) {
    const response = await post(shop, path, {});
    expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
  }
  expect((await post(shop, '/no-such-page', {})).status).toBe(405);
});

test('a loader can make only GET calls', async () => {
  const calls = { router: new Hono<Env>(), handlers: new Map() };
  const visit = {
    requestId: '',
    url: new URL('http://localhost'),
    socketAddress: '',
    address: '',
    anonymous: true,
    signal: new AbortController().signal,
    findViewer: async () => undefined,
  };
  for (const name of ['deleteProduct', 'placeOrder', 'saveUser', 'markOrderPaid'] as const)
    await expect(callInProcess(calls, visit, 'loader', name, { params: { id: '1' } })).rejects.toThrow(
      'is not a GET',
    );
});

test('with a hosted image service, choosing an image needs JavaScript, and the form says so', async () => {
  const settings = { IMAGE_HOST_URL: 'https://images.example/upload', IMAGE_HOST_KEY: 'key' };
  await using shop = await startShop({ settings });
  const tom = await shop.signUp();
  const html = await (await shop.send('/dashboard/review', {}, tom)).text();
  expect(html).toContain('Choosing an image needs JavaScript');
  expect(html).not.toContain('multipart/form-data');
  const response = await post(
    shop,
    '/dashboard/review',
    imageForm({ form: 'review', rating: '5' }, await pixel()),
    tom,
  );
  expect(response.status).toBe(422);
  expect(await response.text()).toContain('Image is Required');
});

test('the plain form for delivery holds as many zones and rates as the API', async () => {
  await using shop = await startShop({ settings: { SHOP_CURRENCY: 'GBP' } });
  const [tom, ada] = [await shop.signUp(), await shop.admin()];
  const codes = countryCodes.slice(0, maxZones);
  const fields: Fields = {
    form: 'shipping',
    version: '0',
    shipsFrom: 'GB',
    cutOff: '14:00',
    'workingDays.1': 'true',
    currency: 'GBP',
  };
  for (const [at, code] of codes.entries()) {
    Object.assign(fields, {
      [`zones.${at}.name`]: `To ${code}`,
      [`zones.${at}.countries`]: code,
      [`zones.${at}.add`]: '',
      [`zones.${at}.postcodes`]: '',
    });
    const count = at < maxRates % codes.length ? 3 : 2;
    for (let index = 0; index < count; index++)
      for (const [field, value] of Object.entries(rateFields))
        fields[`zones.${at}.rates.${index}.${field}`] = value;
  }
  expect((await post(shop, '/dashboard/delivery', fields, tom)).status).toBe(413);
  expect((await post(shop, '/dashboard/delivery', fields, ada)).status).toBe(303);
  const { zones } = await shop.client().call('getShipping', {});
  expect([zones.length, zones.flatMap(({ rates }) => rates).length]).toEqual([maxZones, maxRates]);
});

const rateFields = {
  _id: '',
  name: 'Post',
  by: 'weight',
  price: '5.50',
  from: '0',
  to: '2000',
  freeFrom: '60',
  'days.0': '1',
  'days.1': '3',
  pickup: '',
};
