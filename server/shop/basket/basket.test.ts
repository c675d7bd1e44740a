import { describe, expect, test } from 'vitest';
import { maxLines } from '../../../contract/orders/purchases.ts';
import { engines } from '../../../tests/support/database.ts';
import { placeOrder, placePurchase } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const putInto = (shop: TestShop, person: TestUser, id: string, quantity: number) =>
  shop.client(person).call('setBasketLine', { params: { id }, body: { quantity } });

const getBasket = (shop: TestShop, person: TestUser) => shop.client(person).call('getBasket', {});

describe.concurrent.each(engines)('baskets on %s', (engine) => {
  test('a basket lists its products in the order they were added, reserves no stock and belongs to its user', async () => {
    await using shop = await startShop({ engine });
    const [person, other] = [await shop.signUp(), await shop.signUp()];
    const [winder, puller] = [await shop.addProduct({ price: 19.99 }), await shop.addProduct({ price: 5 })];
    await putInto(shop, person, winder._id, 1);
    await putInto(shop, person, puller._id, 1);
    const basket = await putInto(shop, person, winder._id, 3);
    const listed = await shop.client(person).call('listProducts', { query: {} });
    expect(basket).toEqual({
      lines: [
        { product: listed[0], quantity: 3 },
        { product: listed[1], quantity: 1 },
      ],
      price: 64.97,
      currency: 'USD',
    });
    expect(await getBasket(shop, person)).toEqual(basket);
    expect(await getBasket(shop, other)).toEqual({ lines: [], price: 0, currency: 'USD' });
    expect((await shop.client().call('getProduct', { params: { id: winder._id } })).a_quantity).toBe(10);
  });

  test('PUT /basket rejects an unknown product, a quantity below the minimum and one above the stock', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct({ o_quantity: 2, a_quantity: 4 });
    expect(await catchProblem(putInto(shop, person, 'nothing', 1))).toMatchObject({ status: 404 });
    expect(await catchProblem(putInto(shop, person, product._id, 1))).toMatchObject({
      status: 422,
      errors: [{ field: 'quantity', message: 'plz Input the write value' }],
    });
    expect(await catchProblem(putInto(shop, person, product._id, 5))).toMatchObject({
      status: 409,
      type: 'urn:problem:out_of_stock',
      data: { available: 4 },
    });
    expect((await getBasket(shop, person)).lines).toEqual([]);
  });

  test('POST /basket adds to the line, exactly once per key, and a stale page cannot lower the quantity', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const { _id: id } = await shop.addProduct({ price: 2, o_quantity: 2, a_quantity: 30 });
    const client = shop.client(person);
    const add = (quantity: number, idempotencyKey?: string) =>
      client.call('addToBasket', { params: { id }, body: { quantity }, idempotencyKey });
    const readQuantity = async () => (await getBasket(shop, person)).lines[0]?.quantity;
    expect(await add(3, 'first')).toEqual(await getBasket(shop, person));
    expect(await readQuantity()).toBe(3);
    // The response was lost, so the request is resent, also simultaneously.
    await Promise.all([add(3, 'first'), add(3, 'first'), add(3, 'first')]);
    expect(await readQuantity()).toBe(3);
    expect(await catchProblem(add(4, 'first'))).toMatchObject({ status: 422 });
    // Another window sets a higher quantity.
    await putInto(shop, person, id, 9);
    await add(2, 'second');
    expect(await readQuantity()).toBe(11);
    await Promise.all(Array.from({ length: 5 }, () => add(2)));
    expect(await readQuantity()).toBe(21);
    // Nine pieces are left, so three of the five additions of three pieces succeed.
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => add(3)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await readQuantity()).toBe(30);
    expect(await catchProblem(add(2, 'third'))).toMatchObject({
      status: 409,
      type: 'urn:problem:out_of_stock',
      detail: 'Only 30 left, and your basket has 30 of them.',
      data: { available: 30 },
    });
    // A rejected request can be resent with its key.
    await putInto(shop, person, id, 5);
    await add(2, 'third');
    expect(await readQuantity()).toBe(7);
    expect(await catchProblem(add(1))).toMatchObject({
      status: 422,
      errors: [{ field: 'quantity', message: 'plz Input the write value' }],
    });
    expect(await readQuantity()).toBe(7);
  });

  test('POST /basket rejects an unknown product, a quantity above the stock, and more lines than a basket holds', async () => {
    await using shop = await startShop({ engine });
    const [person, admin] = [await shop.signUp(), await shop.admin()];
    const add = (id: string, quantity: number) =>
      shop.client(person).call('addToBasket', { params: { id }, body: { quantity } });
    const { _id: id } = await shop.addProduct({ o_quantity: 2, a_quantity: 4 });
    expect(await catchProblem(add('nothing', 1))).toMatchObject({ status: 404 });
    expect(await catchProblem(add(id, 5))).toMatchObject({
      status: 409,
      detail: 'Only 4 left: order fewer.',
      data: { available: 4 },
    });
    const archived = await shop.addProduct();
    await shop
      .client(admin)
      .call('editProduct', { params: { id: archived._id }, body: { version: 1, archived: true } });
    expect(await catchProblem(add(archived._id, 1))).toMatchObject({ status: 404 });
    expect((await getBasket(shop, person)).lines).toEqual([]);
    const products = await Promise.all(Array.from({ length: maxLines + 2 }, () => shop.addProduct()));
    const results = await Promise.allSettled(products.map(({ _id }) => add(_id, 1)));
    const rejected = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason.problem] : [],
    );
    expect(rejected.map(({ type }) => type)).toEqual(Array(2).fill('urn:problem:basket_full'));
    const { lines } = await getBasket(shop, person);
    expect(lines).toHaveLength(maxLines);
    // A line that is already there can still grow.
    await add(lines[0]?.product._id ?? '', 1);
  });

  test('a line that cannot be ordered says why and does not count in the total', async () => {
    await using shop = await startShop({ engine });
    const [person, other] = [await shop.signUp(), await shop.signUp()];
    const add = (stock: number) => shop.addProduct({ price: 2, o_quantity: 2, a_quantity: stock });
    const [fine, short, empty, gone] = [await add(9), await add(9), await add(9), await add(9)];
    for (const product of [fine, short, empty, gone]) await putInto(shop, person, product._id, 4);
    await placeOrder(shop, other, short, 6);
    await placeOrder(shop, other, empty, 8);
    await shop.client(await shop.admin()).call('deleteProduct', { params: { id: gone._id } });
    const { lines, price } = await getBasket(shop, person);
    expect(lines.map(({ problem }) => problem)).toEqual([undefined, 'over_stock', 'sold_out', 'gone']);
    expect(lines[3]?.product).toEqual({ _id: gone._id, name: gone.name });
    expect(price).toBe(8);
    await shop.database.db.updateTable('product').set({ minimum: 5 }).where('id', '=', fine._id).execute();
    expect((await getBasket(shop, person)).lines[0]?.problem).toBe('below_minimum');
  });

  test('a basket holds at most 50 lines, even when they are added at once', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const products = await Promise.all(Array.from({ length: maxLines + 3 }, () => shop.addProduct()));
    const results = await Promise.allSettled(products.map(({ _id: id }) => putInto(shop, person, id, 1)));
    const rejected = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason.problem] : [],
    );
    expect(rejected.map(({ type }) => type)).toEqual(Array(3).fill('urn:problem:basket_full'));
    const { lines } = await getBasket(shop, person);
    expect(lines).toHaveLength(maxLines);
    // A line that is already there can still change.
    await putInto(shop, person, lines[0]?.product._id ?? '', 2);
  });

  test('a purchase removes the ordered lines from the basket; DELETE removes a line, and responds with 404 if repeated', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const products = [await shop.addProduct(), await shop.addProduct(), await shop.addProduct()] as const;
    for (const { _id: id } of products) await putInto(shop, person, id, 2);
    await placePurchase(shop, person, [
      [products[0], 2],
      [products[2], 1],
    ]);
    expect((await getBasket(shop, person)).lines.map(({ product }) => product._id)).toEqual([
      products[1]._id,
    ]);
    const remove = () => shop.client(person).call('removeBasketLine', { params: { id: products[1]._id } });
    expect(await remove()).toEqual({ deletedCount: 1 });
    expect(await catchProblem(remove())).toMatchObject({ status: 404 });
  });

  test('ordering again raises each line to the ordered quantity, at current prices, and says what cannot be ordered', async () => {
    await using shop = await startShop({ engine });
    const [person, other, admin] = [await shop.signUp(), await shop.signUp(), await shop.admin()];
    const products = [];
    for (let index = 0; index < 6; index++)
      products.push(await shop.addProduct({ price: 2, a_quantity: 10 }));
    const [fine, less, more, few, archived, deleted] = products.map(({ _id }) => _id);
    const purchase = await placePurchase(
      shop,
      person,
      products.map((product) => [product, 3]),
    );
    await putInto(shop, person, less ?? '', 2);
    await putInto(shop, person, more ?? '', 5);
    const client = shop.client(admin);
    const edit = (id: string | undefined, changes: object) =>
      client.call('editProduct', { params: { id: id ?? '' }, body: { version: 1, ...changes } });
    await edit(fine, { price: 2.5 });
    await edit(archived, { archived: true });
    await client.call('adjustStock', { params: { id: few ?? '' }, body: { change: -6, reason: 'damage' } });
    await client.call('deleteProduct', { params: { id: deleted ?? '' } });
    const orderAgain = (by: TestUser, id = purchase.number) =>
      shop.client(by).call('orderAgain', { params: { id } });
    const basket = await orderAgain(person);
    const read = ({ lines }: typeof basket) =>
      new Map(lines.map(({ product, quantity, problem }) => [product._id, problem ?? quantity]));
    expect(read(basket)).toEqual(
      new Map<string | undefined, number | string>([
        [less, 3],
        [more, 5],
        [fine, 3],
        [few, 'over_stock'],
        [archived, 'gone'],
        [deleted, 'gone'],
      ]),
    );
    expect(basket.lines.map(({ product }) => product.name)).not.toContain('');
    expect(basket).toMatchObject({ price: 3 * 2 + 5 * 2 + 3 * 2.5 });
    // A repeated request changes nothing.
    expect(await orderAgain(person, purchase._id)).toEqual(basket);
    for (const stranger of [other, admin])
      expect(await catchProblem(orderAgain(stranger))).toMatchObject({ status: 404 });
    expect((await getBasket(shop, admin)).lines).toEqual([]);
  });

  test('ordering again changes nothing if the basket would have too many lines', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const products = await Promise.all(Array.from({ length: maxLines }, () => shop.addProduct()));
    const [first, second] = [await shop.addProduct(), await shop.addProduct()];
    const purchase = await placePurchase(shop, person, [
      [first, 2],
      [second, 2],
    ]);
    await Promise.all(products.slice(1).map(({ _id: id }) => putInto(shop, person, id, 1)));
    await putInto(shop, person, first._id, 1);
    const before = await getBasket(shop, person);
    const again = () => shop.client(person).call('orderAgain', { params: { id: purchase._id } });
    expect(await catchProblem(again())).toMatchObject({ status: 409, type: 'urn:problem:basket_full' });
    expect(await getBasket(shop, person)).toEqual(before);
    const [removed] = before.lines;
    await shop.client(person).call('removeBasketLine', { params: { id: removed?.product._id ?? '' } });
    expect((await again()).lines.slice(-2).map(({ quantity }) => quantity)).toEqual([2, 2]);
  });

  test('a basket with room is never reported as full while others take and return the last piece', async () => {
    await using shop = await startShop({ engine });
    const [person, other] = [await shop.signUp(), await shop.signUp()];
    const product = await shop.addProduct({ a_quantity: 1 });
    let ended = false;
    const takeAndReturn = async () => {
      while (!ended) {
        const { _id: id } = await placeOrder(shop, other, product);
        await shop.client(other).call('deleteOrder', { params: { id } });
      }
    };
    const taking = takeAndReturn();
    const results: string[] = [];
    for (let batch = 0; batch < 40; batch++)
      for (const { status, ...rest } of await Promise.allSettled(
        Array.from({ length: 4 }, () => putInto(shop, person, product._id, 1)),
      ))
        results.push('reason' in rest ? rest.reason.problem.type : status);
    ended = true;
    await taking;
    const expected = ['fulfilled', 'urn:problem:out_of_stock'];
    expect(results.filter((result) => !expected.includes(result))).toEqual([]);
  });
});
