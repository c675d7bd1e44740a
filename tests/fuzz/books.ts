import type { TestShop } from '../support/shop.ts';

/** What must hold of the data whatever was asked; each breach is a sentence. */
export function openBooks({ database: { db } }: TestShop) {
  const initial = new Map<string, number>();

  return {
    /** Takes note of the stock of products that are new. */
    async noteProducts(): Promise<void> {
      const rows = await db.selectFrom('product').select(['id', 'available']).execute();
      for (const { id, available } of rows) if (!initial.has(id)) initial.set(id, available);
    },

    /** `customer` is the e-mail of somebody who must not have become an admin. */
    async audit(customer: string): Promise<string[]> {
      const products = await db.selectFrom('product').select(['id', 'available']).execute();
      const orders = await db.selectFrom('orders').selectAll().execute();
      const payments = await db.selectFrom('payment').selectAll().execute();
      const admins = await db.selectFrom('user').select('email').where('role', 'is not', null).execute();
      const wrong: string[] = [];
      for (const { id, available } of products) {
        const taken = orders
          .filter(({ product_id, status }) => product_id === id && status !== 'expired')
          .reduce((sum, { quantity }) => sum + quantity, 0);
        if (available + taken !== initial.get(id))
          wrong.push(`Product ${id}: ${initial.get(id)} became ${available} and ${taken} in orders.`);
      }
      for (const { id, status, transaction_id, total } of orders) {
        const isPaid = status === 'paid' || status === 'sipping';
        const paid = payments.filter(({ order_id, state }) => order_id === id && state === 'paid');
        const fits = isPaid
          ? paid.length === 1 && paid[0]?.intent === transaction_id && paid[0]?.amount === total
          : paid.length === 0 && transaction_id === null;
        if (!fits) wrong.push(`Order ${id} is "${status}" and has ${paid.length} payments.`);
      }
      if (admins.some(({ email }) => email === customer)) wrong.push('The customer is an admin.');
      if (Object.keys(Object.prototype).length > 0) wrong.push('Every object has a new property.');
      return wrong;
    },
  };
}
