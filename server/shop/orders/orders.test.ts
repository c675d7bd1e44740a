import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { buy, placeOrder } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const stockOf = async (shop: TestShop, id: string) =>
  (await shop.client().call('getProduct', { params: { id } })).a_quantity;

describe.concurrent.each(engines)('orders on %s', (engine) => {
  test('80 simultaneous orders for the last 10 pieces: 10 succeed, 70 get out_of_stock, and the stock is 0', async () => {
    await using shop = await startShop({ engine, rateLimits: { signUpsPerAddress: 1000 } });
    const product = await shop.addProduct({ a_quantity: 10 });
    const buyers = await Promise.all(Array.from({ length: 8 }, () => shop.signUp()));
    const orders = Array.from({ length: 80 }, (_, index) => {
      const buyer = buyers[index % 8] ?? expect.unreachable();
      const body = { orderId: product._id, orderQuantity: 1, price: 12.5, user: buyer.email };
      return shop.client(buyer).call('placeOrder', { body });
    });
    const results = await Promise.allSettled(orders);
    const answers = results.map((result) =>
      result.status === 'fulfilled'
        ? 'placed'
        : `${result.reason.problem.status} ${result.reason.problem.type}`,
    );
    const count = (answer: string) => answers.filter((given) => given === answer).length;
    const [placed, outOfStock] = [count('placed'), count('409 urn:problem:out_of_stock')];
    // While other work keeps all processors busy, a request may wait five seconds for one of the connections to PostgreSQL.
    const overloaded = count('503 urn:problem:unavailable');
    expect(placed + outOfStock + overloaded).toBe(80);
    expect(placed).toBeGreaterThan(0);
    const stored = (await shop.database.db.selectFrom('order_line').select('id').execute()).length;
    const stock = await stockOf(shop, product._id);
    expect(stored + stock).toBe(10);
    // Without overload: 10 placed, 70 out of stock.
    expect([stock, stored - placed].map((missing) => missing >= 0 && missing <= overloaded)).toEqual([
      true,
      true,
    ]);
    if (outOfStock > 0) expect(stock).toBe(0);
  });

  test('POST /orders takes the product, customer and status from the server, whatever the client sends', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp('Tom Graham');
    const product = await shop.addProduct({ price: 19.99, a_quantity: 7 });
    const before = Date.now();
    const body = {
      orderId: product._id,
      orderQuantity: 3,
      price: 59.97,
      user: person.email.toUpperCase(),
      product: 'Something else',
      userName: 'Somebody else',
      orderStatus: 'paid',
      paid: true,
      transactionId: 'pi_made_up',
      _id: 'mine',
      status: 'paid',
    };
    const { insertedId: id } = await shop.client(person).call('placeOrder', { body });
    const after = Date.now();
    const order = await shop.client(person).call('getOrder', { params: { id } });
    expect(order).toMatchObject({
      product: product.name,
      orderId: product._id,
      orderQuantity: 3,
      price: 59.97,
      currency: 'USD',
      user: person.email,
      userName: 'Tom Graham',
      orderStatus: '',
      paid: false,
    });
    expect(order).not.toHaveProperty('transactionId');
    const heldFrom = Date.parse(order.holdUntil ?? '') - 72 * 3_600_000;
    expect([before, heldFrom, after]).toEqual([before, heldFrom, after].toSorted());
    expect(await stockOf(shop, product._id)).toBe(4);
  });

  test('POST /orders rejects an outdated total with the current one and stores nothing', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct({ price: 12.5 });
    const body = { orderId: product._id, orderQuantity: 2, price: 0.01, user: person.email };
    const problem = await catchProblem(shop.client(person).call('placeOrder', { body }));
    expect(problem).toMatchObject({ status: 409, type: 'urn:problem:price_changed', data: { price: 25 } });
    expect(await stockOf(shop, product._id)).toBe(10);
    expect(await shop.client(person).call('listOwnOrders', { query: { user: person.email } })).toEqual([]);
  });

  test('POST /orders rejects a quantity below the minimum or above the stock, and a sold-out product', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct({ o_quantity: 5, a_quantity: 8 });
    const belowMinimum = await catchProblem(placeOrder(shop, person, product, 4));
    expect(belowMinimum).toMatchObject({
      status: 422,
      errors: [{ field: 'orderQuantity', message: 'plz Input the write value' }],
    });
    const aboveStock = await catchProblem(placeOrder(shop, person, product, 9));
    expect(aboveStock).toMatchObject({
      status: 409,
      type: 'urn:problem:out_of_stock',
      data: { available: 8 },
    });
    await placeOrder(shop, person, product, 5);
    const soldOut = await catchProblem(placeOrder(shop, person, product, 5));
    expect(soldOut).toMatchObject({ status: 409, detail: 'This product is sold out.' });
    expect(await catchProblem(placeOrder(shop, person, { ...product, _id: 'none' }))).toMatchObject({
      status: 404,
    });
  });

  test('with both a wrong price and a quantity above the stock, the error is about the stock', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct({ price: 12.5, a_quantity: 3 });
    const place = (orderQuantity: number) =>
      catchProblem(
        shop.client(person).call('placeOrder', {
          body: { orderId: product._id, orderQuantity, price: 1, user: person.email },
        }),
      );
    expect(await place(4)).toMatchObject({ type: 'urn:problem:out_of_stock', data: { available: 3 } });
    expect(await place(3)).toMatchObject({ type: 'urn:problem:price_changed', data: { price: 37.5 } });
  });

  test('five simultaneous requests with the same Idempotency-Key place one order', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct({ price: 12.5 });
    const request = {
      body: { orderId: product._id, orderQuantity: 2, price: 25, user: person.email },
      idempotencyKey: 'one-form',
    };
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => shop.client(person).call('placeOrder', request)),
    );
    expect(new Set(responses.map(({ insertedId }) => insertedId)).size).toBe(1);
    expect(await stockOf(shop, product._id)).toBe(8);
    const other = { ...request, body: { ...request.body, orderQuantity: 1, price: 12.5 } };
    expect(await catchProblem(shop.client(person).call('placeOrder', other))).toMatchObject({ status: 422 });
    const stranger = await shop.signUp();
    const theirs = { ...request, body: { ...request.body, user: stranger.email } };
    expect(await shop.client(stranger).call('placeOrder', theirs)).not.toEqual(responses[0]);
  });

  test('simultaneous deletions of an unpaid order return its stock once', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const order = await placeOrder(shop, person, product, 3);
    expect(await stockOf(shop, product._id)).toBe(7);
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => shop.client(person).call('deleteOrder', { params: { id: order._id } })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    expect(await stockOf(shop, product._id)).toBe(10);
  });

  test('only a paid order can be shipped, and shipping it twice is harmless', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const admin = shop.client(await shop.admin());
    const product = await shop.addProduct();
    const unpaid = await placeOrder(shop, person, product);
    const ship = (id: string) =>
      admin.call('shipOrder', { params: { id }, body: { orderStatus: 'sipping' } });
    expect(await catchProblem(ship(unpaid._id))).toMatchObject({ status: 409, type: 'urn:problem:not_paid' });
    const { order } = await buy(shop, person, product);
    expect(await ship(order._id)).toMatchObject({ modifiedCount: 1 });
    expect(await ship(order._id)).toMatchObject({ modifiedCount: 0 });
    const seen = await shop.client(person).call('getOrder', { params: { id: order._id } });
    expect(seen).toMatchObject({ orderStatus: 'sipping', paid: true });
    expect(await catchProblem(ship('none'))).toMatchObject({ status: 404 });
  });

  test('orders of a deleted product can still be paid and deleted', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const payable = await placeOrder(shop, person, product);
    const deleted = await placeOrder(shop, person, product);
    await shop.client(await shop.admin()).call('deleteProduct', { params: { id: product._id } });
    await shop.client(person).call('deleteOrder', { params: { id: deleted._id } });
    const { clientSecret } = await shop
      .client(person)
      .call('createPaymentIntent', { body: { price: payable.price, order: payable._id } });
    expect(clientSecret).toMatch(/^pi_/);
  });

  test('UNPAID_ORDERS_PER_PERSON applies to simultaneous orders, too', async () => {
    await using shop = await startShop({ engine, settings: { UNPAID_ORDERS_PER_PERSON: '3' } });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => placeOrder(shop, person, product)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(3);
    expect(await catchProblem(placeOrder(shop, person, product))).toMatchObject({
      type: 'urn:problem:too_many_unpaid',
    });
    // A permanent error takes precedence.
    const unknown = placeOrder(shop, person, { ...product, _id: 'none' });
    expect(await catchProblem(unknown)).toMatchObject({ status: 404 });
    expect(await catchProblem(placeOrder(shop, person, product, 0))).toMatchObject({ status: 422 });
    expect(await stockOf(shop, product._id)).toBe(7);
  });
});
