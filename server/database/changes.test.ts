import { expect, test } from 'vitest';
import { makeDatabase } from '../../tests/support/database.ts';
import { startShop } from '../../tests/support/shop.ts';

test('two processes on PostgreSQL: the writer never serves stale data, the other one catches up', async () => {
  const { place, drop } = await makeDatabase('postgres');
  try {
    await using writer = await startShop({ place });
    await using other = await startShop({ place });
    const { _id } = await writer.addProduct({ name: 'Balance cock puller', a_quantity: 100 });
    const tom = await writer.signUp();
    const read = async ({ send }: typeof writer, path: string) => (await send(path)).text();
    const readStock = async (shop: typeof writer): Promise<number> =>
      JSON.parse(await read(shop, `/api/products/${_id}`)).a_quantity;

    for (let stock = 99; stock >= 90; stock--) {
      // Responses that are being rendered while the order is placed must not be cached.
      const reads = Array.from({ length: 20 }, () => readStock(writer));
      await writer.client(tom).call('placeOrder', {
        body: { orderId: _id, orderQuantity: 1, price: 12.5, user: tom.email },
      });
      expect(await readStock(writer)).toBe(stock);
      for (const found of await Promise.all(reads)) expect([stock, stock + 1]).toContain(found);
      expect(await readStock(writer)).toBe(stock);
    }

    await expect.poll(() => readStock(other)).toBe(90);
    await expect.poll(() => read(other, '/')).toContain('Balance cock puller');
    await writer.client(await writer.admin()).call('deleteProduct', { params: { id: _id } });
    expect(await read(writer, '/api/products')).toBe('[]');
    await expect.poll(() => read(other, '/api/products')).toBe('[]');
    await expect.poll(() => read(other, '/')).not.toContain('Balance cock puller');
  } finally {
    await drop();
  }
});
