import { randomUUID } from 'node:crypto';
import type { Client } from '../../web/client/client.ts';
import { attempt } from './asking.ts';
import { type Stage, writeOnce } from './customer-acts.ts';
import { mayBecome, settleOrder } from './ledger.ts';

export async function addProduct(
  { chance, ledger, products }: Stage,
  client: Client,
  img: string,
): Promise<void> {
  const stock = 50 + chance.below(200);
  const body = {
    name: 'Pivot Gauge',
    email: 'admin@example.com',
    price: 12.5,
    o_quantity: 1 + chance.below(3),
    a_quantity: stock,
    description: 'Measures pivots.',
    img,
  };
  const idempotencyKey = randomUUID();
  await writeOnce(ledger, {
    what: 'product',
    send: async () => (await client.call('addProduct', { body, idempotencyKey })).insertedId,
    note(id) {
      ledger.products.set(id, { stock, may: new Set(['sold']) });
      products.push({ _id: id, price: body.price, o_quantity: body.o_quantity });
    },
  });
}

/** Takes a product out of the shop, one of those that were added here. */
export async function deleteProduct({ chance, ledger }: Stage, client: Client): Promise<void> {
  const sold = [...ledger.products].filter(([, { may }]) => may.has('sold'));
  // The demo catalogue stays.
  const [id, product] = chance.pick(sold.slice(12)) ?? [];
  if (!id || !product) return;
  product.may.add('gone');
  const deleted = await attempt(ledger, () => client.call('deleteProduct', { params: { id } }));
  if (deleted && 'answer' in deleted) product.may = new Set(['gone']);
}

export async function ship({ chance, ledger }: Stage, client: Client): Promise<void> {
  const [id, order] = chance.pick([...ledger.orders].filter(([, { may }]) => may.has('paid'))) ?? [];
  if (!id || !order) return;
  mayBecome(order, 'sipping');
  const shipped = await attempt(ledger, () =>
    client.call('shipOrder', { params: { id }, body: { orderStatus: 'sipping' } }),
  );
  if (shipped && 'answer' in shipped) settleOrder(ledger, id, 'sipping');
}
