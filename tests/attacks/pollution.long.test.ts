import { expect, test } from 'vitest';
import { contract } from '../../contract/contract.ts';
import type { CallName } from '../../contract/paths.ts';
import { sendAuthRequest, sendCall, sendRequest, tokenHeaders } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

const polluting = [
  '{"__proto__":{"polluted":1,"role":"admin","paid":true}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"__proto__":null,"prototype":{"polluted":1}}',
  '[{"__proto__":{"polluted":1}}]',
];
const addFields = (fields: Record<string, unknown>, text: string) =>
  text.startsWith('[') ? text : `${JSON.stringify(fields).slice(0, -1)},${text.slice(1)}`;

const mutations = Object.keys(contract)
  .filter((name): name is CallName => name in contract)
  .filter((name) => contract[name].method !== 'GET');

/** The properties that built-in prototypes give to every object; pollution adds one. */
const listInherited = () =>
  [Object, Array, Function, String].flatMap(({ prototype }) => Reflect.ownKeys(prototype).map(String));

test('no request body pollutes a prototype', async () => {
  await using shop = await startShop({ rateLimits: { signUpsPerAddress: 1000, signInsPerAddress: 1000 } });
  const [tom, admin] = [await shop.signUp(), await shop.admin()];
  const { _id, img } = await shop.addProduct();
  const before = listInherited();
  const fields = {
    name: 'B',
    email: tom.email,
    user: tom.email,
    address: 'A',
    phone: '1',
    education: 'E',
    linkedIn: 'L',
    price: 12.5,
    o_quantity: 1,
    a_quantity: 1,
    description: 'C',
    img,
    rating: 5,
    reviews: 'R',
    orderId: _id,
    orderQuantity: 1,
    orderStatus: 'sipping',
    transactionId: 'pi',
    password: 'abcdef-ghi',
  };
  for (const text of polluting) {
    for (const name of mutations) {
      for (const person of [tom, admin]) {
        const params = { id: _id, email: person.email };
        const response = await sendCall(shop, name, {
          params,
          body: addFields(fields, text),
          headers: tokenHeaders(person),
        });
        expect([name, response.status]).toEqual([name, expect.toSatisfy((status: number) => status < 500)]);
      }
    }
    for (const path of [
      '/sign-up/email',
      '/sign-in/email',
      '/change-password',
      '/revoke-session',
      '/sign-out',
    ])
      expect((await sendAuthRequest(shop, path, addFields(fields, text))).status).toBeLessThan(500);
  }
  expect(listInherited()).toEqual(before);
  expect(Object.getOwnPropertyDescriptor(Object.prototype, 'polluted')).toBeUndefined();
  const rows = await shop.database.db.selectFrom('user').select(['email', 'role']).execute();
  expect(rows.find(({ email }) => email === tom.email)?.role).toBeNull();
});

test('no query, path, header or form pollutes a prototype', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const before = listInherited();
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
  for (const name of names) {
    for (const path of [
      `/?${name}[polluted]=1&${name}.polluted=1`,
      `/api/products?${name}[polluted]=1&${name}=1`,
      `/api/products/${name}`,
      `/api/${name}`,
      `/api/auth/${name}`,
      `/images/${name}`,
      `/static/${name}`,
      `/${name}`,
      `/dashboard/${name}`,
      `/purchase/${name}`,
      `/login?from=/${name}&error=${name}`,
    ]) {
      const { status } = await sendRequest(shop, 'GET', path, { headers: tokenHeaders(tom) });
      expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => code < 500)]);
    }
    const cookie = `${name}=1; ${name}[polluted]=1`;
    expect((await sendRequest(shop, 'GET', '/', { headers: { cookie } })).status).toBe(200);
    const form = new FormData();
    form.set(`${name}[polluted]`, '1');
    form.set(name, new Blob(['a']), 'a');
    const headers = tokenHeaders(tom);
    expect((await sendRequest(shop, 'POST', '/1/upload', { body: form, headers })).status).toBe(400);
    const stripe = await sendRequest(shop, 'POST', '/sandbox/stripe/v1/payment_intents', {
      body: `${name}[polluted]=1&metadata[${name}]=1&amount=100`,
      headers: { authorization: `Bearer ${shop.stripe.secretKey}` },
    });
    expect(stripe.status).toBeLessThan(500);
  }
  expect(listInherited()).toEqual(before);
});

test('authorization and handler read the same value of a duplicate parameter', async () => {
  await using shop = await startShop();
  const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
  const headers = tokenHeaders(tom);
  const read = async (query: string) =>
    (await sendRequest(shop, 'GET', `/api/orders?${query}`, { headers })).status;
  expect(await read(`user=${tom.email}`)).toBe(200);
  expect(await read(`user=${ann.email}&user=${tom.email}`)).toBe(403);
  const product = await shop.addProduct();
  const body = { orderId: product._id, orderQuantity: 1, price: 12.5, user: ann.email };
  await shop.client(ann).call('placeOrder', { body });
  const mixed = await sendRequest(shop, 'GET', `/api/orders?user=${tom.email}&user=${ann.email}`, {
    headers,
  });
  expect(await mixed.json()).toEqual([]);
  // Both read the last value of a duplicate key in a body.
  const twice = `{"user":"${tom.email}",${JSON.stringify(body).slice(1)}`;
  expect((await sendCall(shop, 'placeOrder', { body: twice, headers })).status).toBe(403);
});
