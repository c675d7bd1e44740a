import { describe, expect, test } from 'vitest';
import { engines } from './database.ts';
import { startShop } from './shop.ts';

describe.each(engines)('on %s', (engine) => {
  test('startShop creates an empty shop that shares no data with other shops', async () => {
    await using shop = await startShop({ engine });
    await using other = await startShop({ engine });
    const product = await shop.addProduct({ price: 10 });
    const tom = await shop.signUp();
    const { insertedId } = await shop.client(tom).call('placeOrder', {
      body: { orderId: product._id, orderQuantity: 2, price: 20, user: tom.email },
    });
    const order = await shop.client(tom).call('getOrder', { params: { id: insertedId } });
    expect(order).toMatchObject({ orderStatus: '', paid: false, price: 20 });
    expect(await other.client().call('listProducts', {})).toEqual([]);
  });
});
