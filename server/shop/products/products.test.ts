import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contract } from '../../../contract/contract.ts';
import { engines } from '../../../tests/support/database.ts';
import { confirmIntent, openPayment, placeOrder } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { maxCharge, toMinor, toWire } from '../../config/currency.ts';
import { currencyCodes } from '../../config/stripe-currencies.ts';

/** An admin, a valid form, and functions that send it with changes. */
async function open(shop: TestShop) {
  const admin = await shop.admin();
  const { img } = await shop.addProduct({ name: 'First', price: 500 });
  const form = {
    name: 'Pin Vise',
    email: admin.email,
    description: 'Holds pins.',
    img,
    price: 19.99,
    o_quantity: 2,
    a_quantity: 50,
  };
  const headers = tokenHeaders(admin);
  const send = (change: object) => sendCall(shop, 'addProduct', { body: { ...form, ...change }, headers });
  /** The status of a rejected form, and its errors as `field: message`. */
  const reject = async (change: object) => {
    const { status, errors } = await readProblem(await send(change));
    return [status, ...(errors ?? []).map(({ field, message }) => `${field}: ${message}`)];
  };
  const add = async (change: object) => {
    const response = await send(change);
    expect([change, response.status]).toEqual([change, 201]);
    const { insertedId } = contract.addProduct.response.parse(await response.json());
    return shop.client().call('getProduct', { params: { id: insertedId } });
  };
  return { admin, form, add, reject };
}

describe.each(engines)('on %s', (engine) => {
  test('POST /product adds the trimmed product at the end of the list', async () => {
    await using shop = await startShop({ engine });
    const { form, add, admin } = await open(shop);
    const { email, ...shown } = form;
    const product = await add({ name: '  Pin Vise ' });
    expect(product).toEqual({
      ...shown,
      _id: expect.any(String),
      currency: 'USD',
      images: [form.img],
      archived: false,
      version: 1,
      createdAt: expect.any(String),
    });
    expect(Date.now() - Date.parse(product.createdAt)).toBeLessThan(60_000);
    const list = await shop.client(admin).call('listProducts', {});
    expect(list.map(({ name }) => name)).toEqual(['First', 'Pin Vise']);
    expect(list[1]).toEqual({ ...product, email });
    // The `email` in the body is ignored: the signed-in admin added it.
    const other = await add({ email: 'Somebody@Example.com' });
    const seen = await shop.client(admin).call('getProduct', { params: { id: other._id } });
    expect(seen.email).toBe(admin.email);
  });

  test('POST /product takes an optional category, which everyone sees, and an optional threshold for admins', async () => {
    await using shop = await startShop({ engine });
    const { add, admin, reject } = await open(shop);
    const { _id: id, ...seen } = await add({ category: ' Holding ', lowStock: 3 });
    expect([seen.category, seen.lowStock]).toEqual(['Holding', undefined]);
    const full = await shop.client(admin).call('getProduct', { params: { id } });
    expect([full.category, full.lowStock]).toEqual(['Holding', 3]);
    expect(await add({ category: '' })).not.toHaveProperty('category');
    expect(await reject({ lowStock: 0 })).toEqual([422, 'lowStock: Low-stock threshold must be at least 1']);
    expect(await reject({ category: 'x'.repeat(61) })).toEqual([
      422,
      'category: Category must be 60 characters or shorter',
    ]);
  });

  test('facts are lines with a label and a value, cleaned like other texts, and are not in lists', async () => {
    await using shop = await startShop({ engine });
    const { add, reject } = await open(shop);
    const typed = '\n Height :62\u200b mm\r\n\r\nRatio: 1:4\rSteel:\u2028hardened,\tblued \nHeight: 62 mm';
    const { _id: id, facts } = await add({ facts: typed });
    expect(facts).toBe('Height: 62 mm\nRatio: 1:4\nSteel: hardened, blued');
    const client = shop.client(await shop.admin());
    const { lines } = await client.call('setBasketLine', { params: { id }, body: { quantity: 2 } });
    const listed = [...(await client.call('listProducts', {})), ...lines.map(({ product }) => product)];
    expect(listed.map(({ name }) => name)).toEqual(['First', 'Pin Vise', 'Pin Vise']);
    for (const product of listed) expect(product).not.toHaveProperty('facts');

    const label = 'L'.repeat(40);
    const most = Array.from({ length: 20 }, (_, n) => `${label}: ${'v'.repeat(98)}${n + 10}`).join('\n');
    expect((await add({ facts: most })).facts).toBe(most);
    for (const empty of ['', ' \n\u200b\n']) expect(await add({ facts: empty })).not.toHaveProperty('facts');
    for (const [wrong, message] of [
      [
        'Height: 62 mm\nWidth 5 mm',
        'Facts: “Width 5 mm” must be a label, a colon and a value, such as “Height: 62 mm”',
      ],
      ['Height: ', 'Facts: “Height:” must be a label, a colon and a value, such as “Height: 62 mm”'],
      [': 62 mm', 'Facts: “: 62 mm” must be a label, a colon and a value, such as “Height: 62 mm”'],
      [`L${most}`, `Facts: the label “${label}…” must be 40 characters or shorter`],
      [`${most}v`, `Facts: the value of “${label}” must be 100 characters or shorter`],
      [Array.from({ length: 21 }, (_, n) => `a: ${n}`).join('\n'), 'Facts: 20 lines at most'],
      ['Height: \0', 'Facts has characters that cannot be printed'],
      [7, 'Facts must be text'],
    ] as const)
      expect(await reject({ facts: wrong })).toEqual([422, `facts: ${message}`]);
    expect((await reject({ facts: 'a'.repeat(50_000) }))[1]).toBe(
      'facts: Facts must be 2860 characters or shorter',
    );
  });

  test('missing fields are reported in the specification’s words and the form’s order', async () => {
    await using shop = await startShop({ engine });
    const { reject, form } = await open(shop);
    const all = [
      'name: Name is Required',
      'email: Email is Required',
      'price: Price is Required',
      'o_quantity: Order quantity is Required',
      'a_quantity: Available quantity is Required',
      'description: Description is Required',
      'img: Image is Required',
    ];
    const fields = Object.keys(form);
    for (const empty of [undefined, null, '']) {
      expect(await reject(Object.fromEntries(fields.map((field) => [field, empty])))).toEqual([422, ...all]);
    }
    expect(await reject({ name: ' \t', description: '\n' })).toEqual([422, all[0], all[5]]);
  });

  test('the limits of every field are inclusive', async () => {
    await using shop = await startShop({ engine });
    const { reject, add } = await open(shop);
    for (const change of [
      { name: 'a'.repeat(100) },
      { description: 'ö'.repeat(2000) },
      { description: 'Two\nlines\tand a tab' },
      { price: 0.01, o_quantity: 50, a_quantity: 0 },
      { price: 999_999.99, o_quantity: 1 },
      { price: 0.5, o_quantity: 1, a_quantity: 1_000_000 },
      { price: 0.01, o_quantity: 1_000_000 },
      { name: '<b>"Vise" & \'co\'</b> 🔧' },
    ])
      expect(await add(change)).toMatchObject(change);
    for (const [change, message] of [
      [{ name: 'a'.repeat(101) }, 'name: Name must be 100 characters or shorter'],
      [{ name: 'a\0b' }, 'name: Name has characters that cannot be printed'],
      [{ name: 7 }, 'name: Name must be text'],
      [{ email: 'tom' }, 'email: Provide a valid Email'],
      [{ email: `${'a'.repeat(290)}@example.com` }, 'email: Email must be 300 characters or shorter'],
      [{ description: 'a'.repeat(2001) }, 'description: Description must be 2000 characters or shorter'],
      [{ price: 0 }, 'price: Price must be at least 0.01'],
      [{ price: -1 }, 'price: Price must be at least 0.01'],
      [{ price: 1_000_000 }, 'price: Price must be at most 999999.99'],
      [{ price: 1.005 }, 'price: Price must have at most two decimals'],
      [{ price: '19.99' }, 'price: Price must be a number'],
      [{ price: 0.49, o_quantity: 1 }, 'price: Price × order quantity must be at least USD 0.50'],
      [{ price: 500_000, o_quantity: 2 }, 'price: Price × order quantity must be at most USD 999,999.99'],
      [{ o_quantity: 0 }, 'o_quantity: Order quantity must be at least 1'],
      [{ o_quantity: 1_000_001 }, 'o_quantity: Order quantity must be at most 1000000'],
      [{ o_quantity: 1.5 }, 'o_quantity: Order quantity must be a whole number'],
      [{ a_quantity: -1 }, 'a_quantity: Available quantity must be at least 0'],
      [{ a_quantity: 1_000_001 }, 'a_quantity: Available quantity must be at most 1000000'],
      [{ a_quantity: '5' }, 'a_quantity: Available quantity must be a number'],
    ] as const)
      expect([change, await reject(change)]).toEqual([change, [422, message]]);
    for (const price of ['1e999', '-0', '0.1e-5'])
      expect((await reject({ price: Number(price) }))[0]).toBe(422);
  });

  test('an image must be one that was uploaded here', async () => {
    await using shop = await startShop({ engine });
    const { reject, form } = await open(shop);
    for (const img of [
      'https://elsewhere.example/a.png',
      '/images/nothing.webp',
      `${form.img}?x`,
      `${shop.origin}${form.img}`,
      'javascript:alert(1)',
      '/images/../secret',
      'data:image/png;base64,AAAA',
    ]) {
      const [status, message] = await reject({ img });
      expect([img, status, message]).toEqual([img, 422, expect.stringMatching(/^img: /)]);
    }
  });

  test('every price in whole cents is accepted unchanged, and no other', async () => {
    await using shop = await startShop({ engine });
    const { add, reject } = await open(shop);
    const cents = fc.integer({ min: 1, max: 99_999_999 });
    const schema = contract.addProduct.body.shape.price;
    fc.assert(
      fc.property(cents, (amount) => schema.safeParse(Number((amount / 100).toFixed(2))).success),
      { numRuns: 20_000 },
    );
    fc.assert(
      fc.property(cents, fc.integer({ min: 1, max: 9 }), (amount, third) => {
        return !schema.safeParse(Number(`${(amount / 100).toFixed(2)}${third}`)).success;
      }),
      { numRuns: 20_000 },
    );
    for (const price of [0.57, 1.1, 4.35, 8.2, 19.99, 1.15, 64.1, 1009.9, 655_360.07, 999_999.99])
      expect(await add({ price, o_quantity: 1 })).toMatchObject({ price });
    for (const price of [0.575, 1.001, 4.3500001]) expect((await reject({ price }))[0]).toBe(422);
  });

  test('deleting a product twice returns 404 the second time', async () => {
    await using shop = await startShop({ engine });
    const { add, admin } = await open(shop);
    const [deleted, other] = [await add({}), await add({ name: 'Other' })];
    const params = { id: deleted._id };
    const remove = () => sendCall(shop, 'deleteProduct', { params, headers: tokenHeaders(admin) });
    // Of two simultaneous deletions, one succeeds.
    const both = await Promise.all([remove(), remove()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
    const done = both.find(({ ok }) => ok);
    expect(await done?.json()).toEqual({ deletedCount: 1 });
    expect((await readProblem(await sendCall(shop, 'getProduct', { params }))).status).toBe(404);
    const names = (await shop.client().call('listProducts', {})).map(({ name }) => name);
    expect(names).toEqual(['First', other.name]);
  });
});

test.each([
  ['AED', 2],
  ['CZK', 15],
  ['GBP', 0.3],
  ['HUF', 175],
  ['ISK', 1],
  ['THB', 10],
])('the cheapest order in %s costs %d, which Stripe accepts', async (currency, price) => {
  await using shop = await startShop({ settings: { SHOP_CURRENCY: currency } });
  const person = await shop.signUp();
  const product = await shop.addProduct({ price });
  const tooCheap = await catchProblem(shop.addProduct({ price: price - (currency === 'ISK' ? 0.5 : 0.01) }));
  expect(tooCheap).toMatchObject({ status: 422 });
  const order = await placeOrder(shop, person, product);
  await confirmIntent(shop, await openPayment(shop, person, order));
  const paid = () => shop.client(person).call('getOrder', { params: { id: order._id } });
  await expect.poll(paid).toMatchObject({ paid: true, price, currency });
});

test('a shop in a currency without decimals accepts only whole prices', async () => {
  await using shop = await startShop({ settings: { SHOP_CURRENCY: 'JPY' } });
  const admin = await shop.admin();
  const { img } = await shop.addProduct({ price: 1200 });
  const form = { name: 'Vise', email: admin.email, description: 'D', img, o_quantity: 1, a_quantity: 9 };
  const send = (change: object) =>
    sendCall(shop, 'addProduct', { body: { ...form, ...change }, headers: tokenHeaders(admin) });
  for (const [change, message] of [
    [{ price: 12.5 }, /decimals/],
    [{ price: 0.01 }, /decimals/],
    [{ price: 49 }, /at least ¥50/],
    [{ price: 100_000_000 }, /^Price must be at most 99999999$/],
    [{ price: 50_000_000, o_quantity: 2 }, /at most ¥99,999,999/],
  ] as const) {
    const { status, errors } = await readProblem(await send(change));
    expect([change, status, errors?.[0]]).toMatchObject([
      change,
      422,
      { field: 'price', message: expect.stringMatching(message) },
    ]);
  }
  expect((await send({ price: 99_999_999 })).status).toBe(201);
  expect(await shop.client().call('listProducts', {})).toMatchObject([
    { price: 1200, currency: 'JPY' },
    { price: 99_999_999, currency: 'JPY' },
  ]);
});

test.each([
  ['VND', 26_000_000],
  ['JPY', 150_000],
  ['KRW', 1_400_000],
  ['IDR', 16_000_000.5],
  ['CLP', 950_000],
  ['UGX', 3_700_000],
  ['HUF', 350_000],
])('a tool for about 1,000 dollars in %s is sold, ten at a time', async (currency, price) => {
  await using shop = await startShop({ settings: { SHOP_CURRENCY: currency } });
  const person = await shop.signUp();
  const product = await shop.addProduct({ price, o_quantity: 10, a_quantity: 10 });
  const client = shop.client(person);
  await client.call('addToBasket', { params: { id: product._id }, body: { quantity: 10 } });
  const basket = await client.call('getBasket', {});
  expect(basket).toMatchObject({ price: price * 10, lines: [{ quantity: 10 }] });
  expect(basket.lines[0]).not.toHaveProperty('problem');
  const order = await placeOrder(shop, person, product, 10);
  await confirmIntent(shop, await openPayment(shop, person, order));
  await expect
    .poll(() => client.call('getOrder', { params: { id: order._id } }))
    .toMatchObject({ paid: true });
});

test.each(['IDR', 'UZS', 'VND', 'UGX'])(
  'the highest price in %s can be charged to a card',
  async (currency) => {
    await using shop = await startShop({ settings: { SHOP_CURRENCY: currency } });
    const price = toWire(maxCharge(currency), currency);
    const product = await shop.addProduct({ price });
    expect(await catchProblem(shop.addProduct({ price: price + 1 }))).toMatchObject({ status: 422 });
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, product);
    await confirmIntent(shop, await openPayment(shop, person, order));
    await expect
      .poll(() => shop.client(person).call('getOrder', { params: { id: order._id } }))
      .toMatchObject({ paid: true, price });
  },
);

test('no currency allows a charge above the provider’s limit for cards', () => {
  for (const code of currencyCodes) {
    expect([code, maxCharge(code)]).toEqual([code, Math.min(maxCharge(code), 999_999_999_999)]);
    expect([code, toMinor(toWire(maxCharge(code), code), code)]).toEqual([code, maxCharge(code)]);
  }
});

test('a computed price is rounded to the currency’s decimals, and a price with more of them is rejected', async () => {
  await using shop = await startShop();
  expect(await shop.addProduct({ price: 3 * 1.15 })).toMatchObject({ price: 3.45 });
  expect(await shop.addProduct({ price: 0.1 + 0.2, o_quantity: 5 })).toMatchObject({ price: 0.3 });
  for (const price of [3.455, 3.449, 3.4501])
    expect(await catchProblem(shop.addProduct({ price: price + 0.0005 }))).toMatchObject({ status: 422 });
  const product = await shop.addProduct({ price: 1.15, o_quantity: 1, a_quantity: 9 });
  const person = await shop.signUp();
  const body = { orderId: product._id, orderQuantity: 3, price: 3 * 1.15, user: person.email };
  expect(3 * 1.15).not.toBe(3.45);
  expect(await shop.client(person).call('placeOrder', { body })).toMatchObject({
    insertedId: expect.any(String),
  });
});

test('a basket says which lines cannot be charged in the shop’s currency', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const client = shop.client(person);
  const dear = await shop.addProduct({ price: 600_000, o_quantity: 1, a_quantity: 9 });
  await client.call('addToBasket', { params: { id: dear._id }, body: { quantity: 2 } });
  expect(await client.call('getBasket', {})).toMatchObject({ price: 0, lines: [{ problem: 'over_limit' }] });
  const another = await shop.addProduct({ price: 600_000, o_quantity: 1, a_quantity: 9 });
  const lines = [dear, another].map(({ _id }) => ({ orderId: _id, orderQuantity: 1 }));
  const placed = client.call('placePurchase', { body: { lines, price: 1_200_000 } });
  expect(await catchProblem(placed)).toMatchObject({
    status: 422,
    errors: [{ field: 'price', message: 'An order can total at most USD 999,999.99' }],
  });
});
