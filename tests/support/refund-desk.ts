import type { Purchase } from '../../contract/orders/purchases.ts';
import type { Client } from '../../web/client/api/client.ts';
import type { Random } from '../torture/random.ts';

type DeskCall = {
  name: 'refund again' | 'settle' | 'return' | 'assign' | 'refund all';
  send: (idempotencyKey?: string) => Promise<unknown>;
};

const toCents = (amount: number): number => Math.round(amount * 100);

/**
 * The calls by which an admin who has just read a paid purchase can bring its money and pieces in order: what is owed is refunded
 * again or settled, pieces come back, a refund made at the provider is assigned, and all that is left is refunded.
 */
export function listDeskCalls(client: Client, purchase: Purchase, random: Random): DeskCall[] {
  const { _id: id, version, orders, unassignedRefunds = [] } = purchase;
  const calls: DeskCall[] = [];
  const owed = new Map<string, { order: string; cents: number }>();
  for (const order of orders)
    for (const refund of order.refunds ?? []) {
      const { cents = 0 } = owed.get(refund._id) ?? {};
      if (refund.owed !== undefined)
        owed.set(refund._id, { order: order._id, cents: cents + toCents(refund.owed) });
    }
  for (const [refund, { order, cents }] of owed) {
    const outcome = random.chance(0.5) ? 'repaid' : 'nothing_owed';
    const body = { version, amount: cents / 100, quantity: 0, restock: 0, reason: 'other' } as const;
    calls.push(
      {
        name: 'refund again',
        send: (idempotencyKey) =>
          client.call('refundOrder', {
            params: { id: order },
            body: { ...body, replaces: refund },
            idempotencyKey,
          }),
      },
      {
        name: 'settle',
        send: () => client.call('settleRefund', { params: { id: refund }, body: { outcome } }),
      },
    );
  }
  for (const { _id, removedQuantity = 0, shippedQuantity = 0, returnedQuantity = 0 } of orders)
    if (removedQuantity + shippedQuantity > returnedQuantity)
      calls.push({
        name: 'return',
        send: () => client.call('recordReturn', { params: { id: _id }, body: { version, quantity: 1 } }),
      });
  for (const { _id, amount } of unassignedRefunds) {
    const lines = splitAmount(purchase, amount);
    const isCovered = lines.reduce((sum, line) => sum + toCents(line.amount), 0) === toCents(amount);
    const request = { params: { id: _id }, body: { version, lines } };
    if (isCovered) calls.push({ name: 'assign', send: () => client.call('assignRefund', request) });
  }
  if (orders.some(({ price, refunded, owed = 0 }) => refunded + owed < price)) {
    const body = { version, reason: 'other', restock: random.chance(0.5) } as const;
    calls.push({
      name: 'refund all',
      send: (idempotencyKey) => client.call('refundPurchase', { params: { id }, body, idempotencyKey }),
    });
  }
  return calls;
}

/** Fills up the orders in turn. */
function splitAmount({ orders }: Purchase, amount: number) {
  let left = toCents(amount);
  return orders.flatMap(({ _id: order, price, refunded }) => {
    const cents = Math.min(left, toCents(price) - toCents(refunded));
    left -= cents;
    return cents > 0 ? [{ order, amount: cents / 100, quantity: 0, restock: 0 }] : [];
  });
}
