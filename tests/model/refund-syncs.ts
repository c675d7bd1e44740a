import { addLines, changeRefund, getRefund, isUnassigned, listLines } from './refund-rules.ts';
import {
  addStock,
  advanceVersion,
  countLeft,
  getOrder,
  getPurchase,
  listOrders,
  type Order,
  type Refund,
  removeMore,
  removeRest,
  type State,
  type Step,
  updateOrder,
  updatePurchase,
} from './rules.ts';

/* How the shop learns the outcome of its refunds, of refunds made in the provider's dashboard, and of disputes. */

/** The first step of a sync: the shop reads the provider's refunds. */
export const readRefunds =
  (purchase: string, key: string): Step =>
  (state) => {
    const atProvider = getPurchase(state, purchase).refunds.filter(isAtProvider);
    const report = atProvider.map(({ id, status }) => ({ id, hasFailed: status === 'failed' }));
    return { ...state, reports: { ...state.reports, [key]: report } };
  };

const isAtProvider = ({ status }: Refund): boolean => status === 'succeeded' || status === 'failed';

/** Whether the provider has made or failed a refund that the shop does not know yet. */
export const isUnsynced = (refund: Refund): boolean =>
  isAtProvider(refund) &&
  (refund.known === 'no' || (refund.status === 'failed' && refund.known !== 'failed'));

/** The periodic work syncs only purchases whose refunds differ from the provider's. It marks them first, then reads their refunds. */
export const markUnsynced =
  (purchase: string, key: string): Step =>
  (state) =>
    isPaid(state, purchase) && getPurchase(state, purchase).refunds.some(isUnsynced)
      ? { ...state, reports: { ...state.reports, [key]: [] } }
      : state;

export const readMarked =
  (purchase: string, key: string): Step =>
  (state) =>
    state.reports[key] ? readRefunds(purchase, key)(state) : state;

const isPaid = (state: State, purchase: string): boolean =>
  listOrders(state, purchase).some(([, { transaction }]) => transaction !== undefined);

/**
 * The last step: the shop records which refunds are accepted and which have failed. It assigns refunds made in the dashboard if
 * it is clear for which orders they are.
 */
export const recordRefunds =
  (purchase: string, key: string): Step =>
  (before) => {
    const { [key]: report, ...reports } = before.reports;
    const state = { ...before, reports };
    if (!report || !isPaid(before, purchase)) return state;
    let next = report.reduce((current, { id, hasFailed }) => record(current, purchase, id, hasFailed), state);
    for (const refund of getPurchase(before, purchase).refunds) {
      const isChanged = getRefund(next, purchase, refund.id).known !== refund.known;
      if (!isChanged && isUnassigned(before, refund)) next = assign(next, purchase, refund);
    }
    for (const [id] of listOrders(next, purchase)) next = removeRest(next, id);
    return hasChanged(before, next, purchase) ? advanceVersion(next, purchase) : next;
  };

/** Whether the sync counts as a change, which advances the version. The mere acceptance of the shop's own refund does not. */
function hasChanged(before: State, after: State, purchase: string): boolean {
  const listForeign = (state: State) => getPurchase(state, purchase).refunds.filter(({ isOwn }) => !isOwn);
  return (
    JSON.stringify(before.orders) !== JSON.stringify(after.orders) ||
    JSON.stringify(listForeign(before)) !== JSON.stringify(listForeign(after))
  );
}

function record(before: State, purchase: string, id: string, hasFailed: boolean): State {
  const refund = getRefund(before, purchase, id);
  const isAccepted = refund.known === 'no';
  if (!isAccepted && (!hasFailed || refund.known === 'failed')) return before;
  let state = changeRefund(before, purchase, id, { known: hasFailed ? 'failed' : 'accepted' });
  if (!refund.isOwn && isAccepted) state = assign(state, purchase, refund);
  const isReplaced = isAccepted && refund.replaces !== undefined;
  const lines = listLines(state, id).map((line) => {
    const { owed, refunded, pieces } = getOrder(state, line.order);
    const others =
      refunded - line.amount + owed - (isReplaced ? line.amount : 0) - sumRefundedAgain(state, line.order);
    // All refunded and owed amounts of an order together never exceed its price.
    return { ...line, owed: hasFailed ? Math.min(line.amount, Math.max(0, pieces - others)) : 0 };
  });
  const isOwed = lines.some(({ owed }) => owed > 0);
  if (hasFailed && lines.length > 0 && !isOwed)
    state = changeRefund(state, purchase, id, { outcome: 'nothing_owed' });
  if (hasFailed && lines.length === 0) state = oweInTurn(state, purchase, refund);
  if (isAccepted && refund.replaces !== undefined)
    state = changeRefund(state, purchase, refund.replaces, { outcome: 'refunded' });
  return lines.reduce((next, { order: orderId, amount, owed, restock }) => {
    const order = getOrder(next, orderId);
    const pieces = isAccepted ? Math.min(restock, order.removed + order.shipped - order.returned) : 0;
    const updated = updateOrder(next, orderId, {
      refunded: order.refunded - (hasFailed ? amount : 0),
      owed: order.owed + owed - (isReplaced ? amount : 0),
      returned: order.returned + pieces,
      ...(isOwed && owed < amount ? lowerLine(order, id, owed) : {}),
    });
    return addStock(isAccepted ? endIfOver(updated, orderId) : updated, { product: order.product, pieces });
  }, state);
}

/**
 * The owed amount of an order that is being refunded again. Until the provider accepts the new refund, the amount counts both as
 * owed and as refunded.
 */
function sumRefundedAgain(state: State, id: string): number {
  const { lines, purchase } = getOrder(state, id);
  const again = getPurchase(state, purchase).refunds.filter(
    ({ replaces, known, status }) => replaces !== undefined && known === 'no' && status !== 'refused',
  );
  return lines
    .filter(({ refund }) => again.some((other) => other.id === refund))
    .reduce((sum, { amount }) => sum + amount, 0);
}

/**
 * Lowers the line of a failed refund to the amount that is owed, or removes it. Pieces that the refund has removed stay removed.
 */
function lowerLine(
  { lines, refundedPieces }: Order,
  refund: string,
  amount: number,
): Pick<Order, 'lines' | 'refundedPieces'> {
  if (amount > 0)
    return {
      lines: lines.map((line) => (line.refund === refund ? { ...line, amount } : line)),
      refundedPieces,
    };
  const [pieces = 0, removed = 0] = lines.flatMap((line) =>
    line.refund === refund ? [line.pieces, line.removed] : [],
  );
  const others = lines.filter((line) => line.refund !== refund);
  return { lines: removeMore(others, removed), refundedPieces: refundedPieces - pieces };
}

/** A partly shipped order counts as shipped once no pieces are left to ship. */
export function endIfOver(state: State, id: string): State {
  const order = getOrder(state, id);
  const isOver = order.status === 'paid' && order.shipped > 0 && countLeft(order) === 0;
  return isOver ? updateOrder(state, id, { status: 'sipping' }) : state;
}

/** Makes the amount of a refund that failed before it was assigned owed: each order in turn gets as much as its price leaves. */
function oweInTurn(before: State, purchase: string, refund: Refund): State {
  let left = refund.amount;
  return listOrders(before, purchase).reduce((state, [id, { pieces, refunded, owed, lines }]) => {
    const amount = Math.min(left, pieces - refunded - owed + sumRefundedAgain(before, id));
    if (amount <= 0) return state;
    left -= amount;
    const line = { refund: refund.id, amount, pieces: 0, removed: 0, restock: 0 };
    return updateOrder(state, id, { owed: owed + amount, lines: [...lines, line] });
  }, before);
}

/**
 * Assigns a refund if the purchase has only one order, or if the amount is exactly what is left of one order or of all orders.
 */
function assign(state: State, purchase: string, { id: refund, amount }: Refund): State {
  const orders = listOrders(state, purchase).map(([id, order]) => ({
    id,
    rest: order.pieces - order.refunded,
  }));
  const open = orders.filter(({ rest }) => rest > 0);
  const exact = open.filter(({ rest }) => rest === amount);
  const isAll = open.reduce((sum, { rest }) => sum + rest, 0) === amount;
  const [only] = orders;
  let meant = isAll ? open : exact.length === 1 ? exact : [];
  if (only && orders.length === 1) meant = amount <= only.rest ? [{ id: only.id, rest: amount }] : [];
  const lines = meant.map(({ id, rest }) => {
    const order = getOrder(state, id);
    const isRest = rest === order.pieces - order.refunded;
    const removed = isRest ? countLeft(order) : 0;
    const pieces = Math.min(removed, order.pieces - order.refundedPieces);
    return { order: id, amount: rest, pieces, removed, restock: 0 };
  });
  return lines.reduce((next, { order }) => endIfOver(next, order), addLines(state, refund, lines));
}

/** The first step of a sync of disputes: the shop reads the provider's dispute. */
export const readDispute =
  (purchase: string, key: string): Step =>
  (state) => {
    const status = getPurchase(state, purchase).dispute?.status;
    return status ? { ...state, disputes: { ...state.disputes, [key]: status } } : state;
  };

/** The second step. If the payment has not paid its purchase yet, a lost dispute counts only once the purchase is paid. */
export const recordDispute =
  (purchase: string, key: string): Step =>
  (before) => {
    const { [key]: status, ...disputes } = before.disputes;
    const state = { ...before, disputes };
    const { dispute } = getPurchase(state, purchase);
    if (!status || !dispute || dispute.known === status) return state;
    // An older response from the provider does not reopen the dispute.
    if (status === 'open' && dispute.known !== 'no') return state;
    const recorded = updatePurchase(state, purchase, { dispute: { ...dispute, known: status } });
    const isChange = status === 'lost' ? isPaid(state, purchase) : status === 'open';
    return isChange ? advanceVersion(recorded, purchase) : recorded;
  };
