import type { readBooks } from './books.ts';
import type { State } from './rules.ts';

const atProvider = { open: 'requires_payment_method', paid: 'succeeded', cancelled: 'canceled' };

/** Whether the shop and the provider show what the model has come to. */
export function isLike(state: State, books: Awaited<ReturnType<typeof readBooks>>): boolean {
  const available = new Map(books.products.map(({ _id, a_quantity }) => [_id, a_quantity]));
  const orders = new Map(books.orders.map((order) => [order._id, order]));
  const intents = new Map(books.intents.map(({ id, status }) => [id, status]));
  return (
    Object.entries(state.products).every(([id, product]) => available.get(id) === product.available) &&
    Object.entries(state.orders).every(([id, { status, transaction, overdue }]) => {
      const order = orders.get(id);
      if (status === 'deleted') return !order;
      const isOverdue = order?.holdUntil !== undefined && Date.parse(order.holdUntil) < Date.now();
      return (
        order?.orderStatus === status &&
        order.transactionId === transaction &&
        (status !== '' || isOverdue === overdue)
      );
    }) &&
    Object.entries(state.intents).every(([id, now]) => intents.get(id) === atProvider[now])
  );
}
