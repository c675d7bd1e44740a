import type { Accounts } from './books.ts';
import type { ProductFact } from './ledger.ts';

/** Whether stock and orders add up, at any moment. `initial`: what each product began with. */
export function audit(accounts: Accounts, initial: Map<string, ProductFact>): string[] {
  return [...auditStock(accounts, initial), ...auditOrders(accounts), ...auditDeeds(accounts, initial)];
}

/** What the admin did is written down with it, once; the demo catalogue was added by nobody. */
function auditDeeds({ products, orders, deeds }: Accounts, initial: Map<string, ProductFact>): string[] {
  const written = Map.groupBy(deeds, ({ what, of }) => `${what} ${of}`);
  const there = new Set(products.map(({ id }) => id));
  const added = products.filter(({ id }) => !initial.get(id)?.planted).map(({ id }) => `addProduct ${id}`);
  const shipped = orders.filter(({ status }) => status === 'sipping').map(({ id }) => `shipOrder ${id}`);
  const deleted = [...initial.keys()].filter((id) => !there.has(id)).map((id) => `deleteProduct ${id}`);
  const done = new Set([...added, ...shipped, ...deleted]);
  return [...done]
    .filter((deed) => written.get(deed)?.length !== 1)
    .map((deed) => `${deed} is written down ${written.get(deed)?.length ?? 0} times`);
}

/** Initial stock = available + held + sold. */
function auditStock({ products, orders }: Accounts, initial: Map<string, ProductFact>): string[] {
  const byProduct = Map.groupBy(orders, ({ product_id }) => product_id);
  return products.flatMap(({ id, available }) => {
    const taken = (byProduct.get(id) ?? [])
      .filter(({ status }) => status !== 'expired')
      .reduce((sum, { quantity }) => sum + quantity, 0);
    const stock = initial.get(id)?.stock;
    return available + taken === stock
      ? []
      : [`product ${id} began with ${stock}, has ${available}, and ${taken} are held or sold`];
  });
}

/** A paid order has its transaction, one of its own payments, whose money is at the provider; and no two have the same. */
function auditOrders({ orders, payments, intents }: Accounts): string[] {
  const wrong: string[] = [];
  const seen = new Set<string>();
  const paid = payments.filter(({ state }) => state === 'paid');
  const byOrder = Map.groupBy(paid, ({ order_id }) => order_id);
  const byIntent = new Map(intents.map((intent) => [intent.id, intent]));
  const there = new Set(orders.map(({ id }) => id));
  for (const { id, status, transaction_id: transaction, total } of orders) {
    const paying = byOrder.get(id) ?? [];
    const isPaid = status === 'paid' || status === 'sipping';
    if (isPaid !== (transaction !== null))
      wrong.push(`order ${id} is '${status}' with transaction ${transaction}`);
    if (paying.length !== (isPaid ? 1 : 0))
      wrong.push(`order ${id} is '${status}' by ${paying.length} payments`);
    if (transaction === null) continue;
    if (paying[0]?.intent !== transaction)
      wrong.push(`order ${id} is paid by ${transaction}, its payment ${paying[0]?.intent}`);
    if (seen.has(transaction)) wrong.push(`${transaction} has paid two orders`);
    seen.add(transaction);
    const intent = byIntent.get(transaction);
    if (intent?.amount !== total) wrong.push(`order ${id} of ${total} is paid by ${intent?.amount}`);
  }
  for (const { id, order_id } of paid) {
    if (!there.has(order_id)) wrong.push(`payment ${id} has paid an order that is not there`);
  }
  return wrong;
}

/** Once the look has been everywhere: money at the provider has paid an order, or was given back; and no other order is paid. */
export function auditMoney({ orders, payments, intents, refunds }: Accounts): string[] {
  const wrong: string[] = [];
  const paid = new Map(orders.map((order) => [order.transaction_id, order]));
  const byIntent = new Map(payments.map((payment) => [payment.intent, payment]));
  const refunded = Map.groupBy(refunds, ({ payment_intent }) => payment_intent);
  for (const { id, status, amount_received } of intents) {
    const payment = byIntent.get(id);
    const back = (refunded.get(id) ?? []).reduce((sum, { amount }) => sum + amount, 0);
    const order = paid.get(id);
    if (status !== 'succeeded') {
      if (order) wrong.push(`order ${order.id} is paid by ${id}, which is ${status}`);
      continue;
    }
    const settled = order
      ? back === 0 && payment?.state === 'paid'
      : back === amount_received && payment?.state === 'refunded';
    if (!settled)
      wrong.push(
        `${amount_received} came by ${id}, ${back} went back, for order ${order?.id}; the payment is ${payment?.state}`,
      );
  }
  for (const { id, state } of payments)
    if (state === 'refund_due') wrong.push(`payment ${id} is to be refunded`);
  for (const { id, status, hold_until } of orders) {
    if (status === '' && hold_until < Date.now())
      wrong.push(`the hold of order ${id} is over, and it is not expired`);
  }
  return wrong;
}
