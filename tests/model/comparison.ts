import { requestStripe } from '../support/payments.ts';
import { countUnassigned, sumSucceeded } from './refund-rules.ts';
import { countChargedBack, type State } from './rules.ts';
import { unitPrice, type World } from './world.ts';

/** Reads the state that the APIs of the shop and the provider show. */
export async function readVisibleState({ shop, admin }: World) {
  const client = shop.client(admin);
  const [products, orders, { data: intents }, { data: refunds }] = await Promise.all([
    client.call('listProducts', {}),
    client.call('listAllOrders', {}),
    requestStripe(shop, 'GET', '/payment_intents?limit=100'),
    requestStripe(shop, 'GET', '/refunds?limit=100'),
  ]);
  return { products, orders, intents, refunds };
}

const providerStatuses = { open: 'requires_payment_method', paid: 'succeeded', cancelled: 'canceled' };

/** Whether the shop and the provider show the model's state. */
export function matchesVisibleState(
  state: State,
  visible: Awaited<ReturnType<typeof readVisibleState>>,
): boolean {
  const available = new Map(visible.products.map(({ _id, a_quantity }) => [_id, a_quantity]));
  const orders = new Map(visible.orders.map((order) => [order._id, order]));
  const intents = new Map(visible.intents.map(({ id, status }) => [id, status]));
  return (
    Object.entries(state.products).every(([id, product]) => available.get(id) === product.available) &&
    Object.entries(state.orders).every(([id, expected]) => {
      const { status, transaction, purchase, refunded, owed, shipped, removed, returned } = expected;
      const order = orders.get(id);
      if (status === 'deleted') return !order;
      const isOverdue = order?.holdUntil !== undefined && Date.parse(order.holdUntil) < Date.now();
      return (
        order?.orderStatus === status &&
        order.purchase === purchase &&
        order.transactionId === transaction &&
        order.refunded === refunded * unitPrice &&
        order.version === state.purchases[purchase]?.version &&
        (order.owed ?? 0) === owed * unitPrice &&
        (order.unassigned ?? 0) === countUnassigned(state, purchase) * unitPrice &&
        (order.chargedBack ?? 0) === (transaction ? countChargedBack(state, purchase) : 0) * unitPrice &&
        order.disputed === (state.purchases[purchase]?.dispute?.known === 'open') &&
        (order.shippedQuantity ?? 0) === shipped &&
        (order.removedQuantity ?? 0) === removed &&
        (order.returnedQuantity ?? 0) === returned &&
        (order.refundedQuantity ?? 0) === expected.refundedPieces &&
        (status !== '' || isOverdue === state.purchases[purchase]?.overdue)
      );
    }) &&
    Object.entries(state.intents).every(([id, status]) => intents.get(id) === providerStatuses[status]) &&
    Object.values(state.purchases).every(
      ({ intent, refunds }) => countRefunded(visible.refunds, intent) === sumSucceeded(refunds),
    )
  );
}

/**
 * Whether further steps may still lead to the state that the shop shows. They cannot if a version is already higher, because
 * versions only grow.
 */
export const mayLeadTo = (state: State, { orders }: Awaited<ReturnType<typeof readVisibleState>>): boolean =>
  orders.every(({ purchase, version }) => (state.purchases[purchase]?.version ?? 0) <= version);

/** How many pieces the provider has refunded of a payment. */
const countRefunded = (
  refunds: { amount: number; status: string; payment_intent?: string }[],
  intent: string | undefined,
): number =>
  refunds
    .filter(({ payment_intent, status }) => payment_intent === intent && status === 'succeeded')
    .reduce((sum, { amount }) => sum + amount, 0) /
  (unitPrice * 100);
