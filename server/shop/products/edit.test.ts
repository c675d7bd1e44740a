import { describe, expect, test } from 'vitest';
import type { ProductEdit } from '../../../contract/catalogue/product-edit.ts';
import { contract } from '../../../contract/contract.ts';
import { engines } from '../../../tests/support/database.ts';
import {
  buy,
  confirmIntent,
  openPayment,
  placeOrder,
  placePurchase,
} from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

/** A product, an admin, and functions that read and edit the product. */
async function open(shop: TestShop, stock = 10) {
  const admin = await shop.admin();
  const product = await shop.addProduct({ price: 5, o_quantity: 2, a_quantity: stock });
  const params = { id: product._id };
  const client = shop.client(admin);
  return {
    admin,
    client,
    product,
    params,
    read: () => client.call('getProduct', { params }),
    edit: (body: ProductEdit) => client.call('editProduct', { params, body }),
    /** The status of a rejected edit, and its errors as `field: message`. */
    async reject(body: object) {
      const response = await sendCall(shop, 'editProduct', { params, body, headers: tokenHeaders(admin) });
      const { status, errors } = await readProblem(response);
      return [status, ...(errors ?? []).map(({ field, message }) => `${field}: ${message}`)];
    },
    /** The product as an anonymous visitor sees it, from the cache if it is not invalidated. */
    async see() {
      return contract.getProduct.response.parse(await (await shop.send(`/api/products/${params.id}`)).json());
    },
    list: async () => (await shop.client().call('listProducts', {})).map(({ _id }) => _id),
  };
}

const archiveEdit = (version: number) => ({ version, archived: true });

describe.each(engines)('on %s', (engine) => {
  test('PATCH /products changes only the given fields, immediately and for everyone', async () => {
    await using shop = await startShop({ engine });
    const { client, product, read, edit, see } = await open(shop);
    const other = await shop.addProduct();
    await see();
    const changes = { name: 'Reamer', price: 7.5, description: 'Reams.', o_quantity: 1, category: 'Pivots' };
    const result = await edit({ version: 1, ...changes, lowStock: 3, images: [other.img] });
    expect(result).toEqual({ modifiedCount: 1, version: 2 });
    const { email, lowStock, ordered, ...visible } = await read();
    const { email: addedBy, ordered: _, ...before } = product;
    expect([email, lowStock, ordered]).toEqual([addedBy, 3, 0]);
    expect(visible).toEqual({ ...before, ...changes, version: 2, img: other.img, images: [other.img] });
    // Only admins see the threshold and the pieces of open orders.
    expect(await see()).toEqual(visible);
    await edit({ version: 2, category: '', lowStock: null });
    const [entry, first] = await client.call('listAudit', { query: { target: product._id } });
    expect(first?.details).toContain('price: USD 7.50 (was USD 5.00)');
    expect([entry?.action, entry?.details]).toEqual([
      'editProduct',
      'category: none (was Pivots)\nlowStock: none (was 3)',
    ]);
    const cleared = await read();
    expect([cleared.category, cleared.lowStock, cleared.name]).toEqual([undefined, undefined, 'Reamer']);
  });

  test('of several admins who edit the same version, all but one are rejected with the current product', async () => {
    await using shop = await startShop({ engine });
    const { edit, read, reject } = await open(shop);
    const names = Array.from({ length: 12 }, (_, n) => `Reamer ${n}`);
    const results = await Promise.allSettled(names.map((name) => edit({ version: 1, name })));
    const saved = names.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(saved).toHaveLength(1);
    const { name, price, version } = await read();
    expect([version, name]).toEqual([2, saved[0]]);
    const { type, data } = await catchProblem(edit({ version: 1, description: 'Reams.' }));
    expect(type).toBe('urn:problem:edit_conflict');
    const { images, ordered: _, ...current } = await read();
    expect(data).toEqual({ ...current, images: images.map((img) => ({ img })) });
    // A repeated edit is not a conflict: the product has these values already.
    expect(await edit({ version: 1, name, price })).toEqual({ modifiedCount: 0, version: 2 });
    expect(await reject({ version: 1, price: 0.1 })).toEqual([409]);
  });

  test('an edit is validated like a new product, together with the values that it does not change', async () => {
    await using shop = await startShop({ engine });
    const { reject, read } = await open(shop);
    const version = 1;
    for (const [edit, message] of [
      [{ name: 'x' }, 'version: Version is Required'],
      [{ version, name: ' ' }, 'name: Name is Required'],
      [{ version, name: null }, 'name: Name is Required'],
      [{ version, price: '5' }, 'price: Price must be a number'],
      [{ version, price: 0.24 }, 'price: Price × order quantity must be at least USD 0.50'],
      [{ version, o_quantity: 999_999 }, 'price: Price × order quantity must be at most USD 999,999.99'],
      [{ version, lowStock: 0 }, 'lowStock: Low-stock threshold must be at least 1'],
      [{ version, category: 'a'.repeat(61) }, 'category: Category must be 60 characters or shorter'],
      [{ version, images: [] }, 'images: Image is Required'],
      [{ version, archived: 'yes' }, 'archived: Archived must be true or false'],
    ] as const)
      expect([edit, await reject(edit)]).toEqual([edit, [422, message]]);
    const [status, error] = await reject({ version, images: ['/images/nothing.webp'] });
    expect([status, error]).toEqual([422, expect.stringMatching(/^images: Image 1 must be one/)]);
    expect((await read()).version).toBe(1);
  });

  test('an archived product is in no public list and cannot be ordered until it is restored', async () => {
    await using shop = await startShop({ engine });
    const { admin, client, product, params, edit, see, list, read } = await open(shop);
    const tom = await shop.signUp();
    const put = () => shop.client(tom).call('setBasketLine', { params, body: { quantity: 2 } });
    await put();
    const unpaid = await placeOrder(shop, tom, product, 2);
    expect(await list()).toEqual([product._id]);
    expect(await edit(archiveEdit(1))).toEqual({ modifiedCount: 1, version: 2 });

    expect(await list()).toEqual([]);
    expect((await (await shop.send('/')).text()).includes(product._id)).toBe(false);
    const page = await (await shop.send(`/purchase/${product._id}`, {}, tom)).text();
    expect([page.includes('No longer sold'), page.includes('Place order')]).toEqual([true, false]);
    expect((await see()).archived).toBe(true);
    const query = { archived: 'true' } as const;
    expect((await client.call('listProducts', { query })).map(({ _id }) => _id)).toEqual([product._id]);
    expect(await catchProblem(shop.client(tom).call('listProducts', { query }))).toMatchObject({
      status: 403,
    });
    expect(await catchProblem(shop.client().call('listProducts', { query }))).toMatchObject({ status: 401 });

    const gone = { status: 404, detail: 'This product is no longer sold.' };
    expect(await catchProblem(placeOrder(shop, tom, product, 2))).toMatchObject(gone);
    expect(await catchProblem(put())).toMatchObject(gone);
    const { lines } = await shop.client(tom).call('getBasket', {});
    expect(lines).toEqual([
      { product: { _id: product._id, name: product.name }, quantity: 2, problem: 'gone' },
    ]);
    expect(await catchProblem(placePurchase(shop, tom, [[product, 2]]))).toMatchObject({
      type: 'urn:problem:out_of_stock',
      detail: 'There is not enough stock of: a product that is no longer sold.',
      data: { lines: [{ orderId: product._id, available: 0 }] },
    });
    expect((await read()).a_quantity).toBe(8);

    // An order that was placed before stays payable.
    await confirmIntent(shop, await openPayment(shop, tom, unpaid));
    const paid = () => shop.client(tom).call('getOrder', { params: { id: unpaid._id } });
    await expect.poll(paid).toMatchObject({ paid: true });

    expect(await edit({ version: 2, archived: false })).toEqual({ modifiedCount: 1, version: 3 });
    expect(await list()).toEqual([product._id]);
    await buy(shop, tom, product, 2);
    const entries = await client.call('listAudit', { query: { limit: 2 } });
    expect(entries.map(({ action, actor, target, name }) => [action, actor, target, name])).toEqual(
      ['restoreProduct', 'archiveProduct'].map((what) => [what, admin.email, product._id, product.name]),
    );
  });

  test('an order placed while the price and name change has either the old or the new values, and keeps them', async () => {
    await using shop = await startShop({ engine });
    const { product, edit } = await open(shop, 12);
    const tom = await shop.signUp();
    const place = (price: number) =>
      shop.client(tom).call('placeOrder', {
        body: { orderId: product._id, orderQuantity: 2, price: price * 2, user: tom.email },
      });
    const first = await place(5);
    const results = await Promise.allSettled([
      place(5),
      edit({ version: 1, price: 6, name: 'Reamer' }),
      place(5),
      place(6),
    ]);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason.problem.type).toBe('urn:problem:price_changed');
    await place(6);
    const orders = await shop.client(tom).call('listOwnOrders', { query: { user: tom.email } });
    for (const { product: name, price } of orders)
      expect([
        ['Pivot Gauge', 10],
        ['Reamer', 12],
      ]).toContainEqual([name, price]);
    expect(orders.find(({ _id }) => _id === first.insertedId)).toMatchObject({ product: 'Pivot Gauge' });
    expect(await catchProblem(place(5))).toMatchObject({ data: { price: 12 } });
  });
});
