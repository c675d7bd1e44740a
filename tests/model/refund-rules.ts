import {
  type Action,
  addStock,
  advanceVersion,
  countLeft,
  expectRejection,
  findPurchase,
  getOrder,
  getPurchase,
  listOrders,
  type Outcome,
  type ProviderRefund,
  type State,
  type Step,
  updateOrder,
  updatePurchase,
} from './rules.ts';

/* The steps of refunds, which are requested in the shop or in the provider's dashboard. */

type Refund = Extract<Action, { type: 'refund' }>;

/** Before a refund, a shipment or a correction: the purchase is read. */
export const readVersion =
  ({ order }: { order: string }, key: string): Step =>
  (state) =>
    remember(state, key, getPurchase(state, getOrder(state, order).purchase).version);

/** The first step of a refund: its amount is reserved, and its unshipped pieces are removed. */
export function reserveRefund(
  { order: id, restock, ...action }: Refund,
  outcome: Outcome,
  key: string,
): Step {
  return (before) => {
    const order = getOrder(before, id);
    const isOutdated = before.memory[key] !== getPurchase(before, order.purchase).version;
    const state = remember(before, key);
    if (isOutdated) return expectRejection(outcome, state);
    if (!outcome.ok && outcome.outdated) return undefined;
    const rest = order.pieces - order.refunded - order.owed;
    const amount = action.pieces ?? rest;
    // As in `refundOrder` of the tests.
    const pieces = amount === rest ? order.pieces - order.refundedPieces : restock;
    const left = order.status === 'paid' ? countLeft(order) : 0;
    const removed = Math.min(pieces, left);
    const isPossible =
      (order.status === 'paid' || order.status === 'sipping') &&
      amount > 0 &&
      amount <= Math.min(rest, countUnrefunded(before, order.purchase)) &&
      order.refundedPieces + pieces <= order.pieces &&
      restock <= removed &&
      (amount < rest || pieces >= left);
    const isReserved = outcome.ok || outcome.refused === true;
    if (!isPossible || !isReserved) return isPossible === isReserved ? state : undefined;
    const reserved = updateOrder(state, id, {
      refunded: order.refunded + amount,
      refundedPieces: order.refundedPieces + pieces,
      removed: order.removed + removed,
      lines: [...order.lines, { key, pieces, removed }],
    });
    return advanceVersion(remember(reserved, key, amount), order.purchase);
  };
}

/** The amount that is left of a purchase, without refunds made in the dashboard that are not assigned to its orders. */
function countUnrefunded(state: State, purchase: string): number {
  const left = listOrders(state, purchase).reduce(
    (sum, [, { pieces, refunded }]) => sum + pieces - refunded,
    0,
  );
  const open = getPurchase(state, purchase).refunds.filter(({ known }) => known === 'unassigned');
  return left - sumAmounts(open);
}

/** The provider refunds what was reserved, or refuses because it has refunded more than the shop knows. */
export function sendRefund({ order: id, restock }: Refund, outcome: Outcome, key: string): Step {
  return (state) => {
    const amount = state.memory[key] ?? 0;
    const { purchase } = getOrder(state, id);
    const { refunds } = getPurchase(state, purchase);
    if (sumAmounts(refunds) + amount > countPaid(state, purchase)) return expectRejection(outcome, state);
    if (!outcome.ok) return undefined;
    const refund: ProviderRefund = { amount, own: { order: id, restock }, known: 'no' };
    return remember(updatePurchase(state, purchase, { refunds: [...refunds, refund] }), key);
  };
}

/** Undoes a refused refund. If the rest was sent without its pieces, they stay removed, and the shop owes the amount. */
export function undoRefund({ order: id }: Refund, key: string): Step {
  return (state) => {
    const amount = state.memory[key];
    // The provider has made the refund.
    if (amount === undefined) return state;
    const order = getOrder(state, id);
    const { pieces = 0, removed = 0 } = order.lines.find((line) => line.key === key) ?? {};
    const isLeftOut = removed > 0 && order.status === 'sipping';
    const undone = updateOrder(remember(state, key), id, {
      refunded: order.refunded - amount,
      ...(isLeftOut
        ? { owed: order.owed + amount }
        : {
            refundedPieces: order.refundedPieces - pieces,
            removed: order.removed - removed,
            lines: order.lines.filter((line) => line.key !== key),
          }),
    });
    return advanceVersion(undone, order.purchase);
  };
}

/** A refund in the provider's dashboard, which the shop does not know yet. */
export function refundAtProvider(
  { intent, pieces: amount }: Extract<Action, { type: 'refund at provider' }>,
  outcome: Outcome,
): Step {
  return (state) => {
    const [id, purchase] = findPurchase(state, intent) ?? [];
    if (!id || !purchase || state.intents[intent] !== 'paid') return expectRejection(outcome, state);
    if (sumAmounts(purchase.refunds) + amount > countPaid(state, id)) return expectRejection(outcome, state);
    if (!outcome.ok) return undefined;
    return updatePurchase(state, id, { refunds: [...purchase.refunds, { amount, known: 'no' }] });
  };
}

/** The first step of a sync: the shop reads the provider's refunds. */
export const readRefunds =
  (purchase: string, key: string): Step =>
  (state) =>
    remember(state, key, getPurchase(state, purchase).refunds.length);

/**
 * The second step: the shop's own refunds are accepted, and those made in the dashboard are recorded, and assigned if it is clear for
 * which orders they are.
 */
export const recordRefunds =
  (purchase: string, key: string): Step =>
  (before) => {
    const count = before.memory[key] ?? 0;
    const state = remember(before, key);
    const isPaid = listOrders(before, purchase).some(([, { transaction }]) => transaction !== undefined);
    if (!isPaid) return state;
    const { refunds } = getPurchase(before, purchase);
    let next = refunds.reduce(
      (current, { known }, at) =>
        at < count && known === 'no' ? recordRefund(current, purchase, at) : current,
      state,
    );
    for (const [at, { known }] of refunds.entries())
      if (known === 'unassigned') next = assign(next, purchase, at);
    return next === state
      ? state
      : updatePurchase(next, purchase, { version: nextVersion(state, next, purchase) });
  };

/** A refund whose acceptance changes nothing does not count as a change. */
function nextVersion(before: State, after: State, purchase: string): number {
  const { version } = getPurchase(before, purchase);
  const isUnchanged =
    JSON.stringify(before.orders) === JSON.stringify(after.orders) &&
    getPurchase(after, purchase).refunds.every(
      ({ own, known }, at) => own || known === getPurchase(before, purchase).refunds[at]?.known,
    );
  return isUnchanged ? version : version + 1;
}

function recordRefund(state: State, purchase: string, at: number): State {
  const { own } = getPurchase(state, purchase).refunds[at] ?? {};
  if (!own) return assign(setKnown(state, purchase, at, 'unassigned'), purchase, at);
  const { product, removed, shipped, returned } = getOrder(state, own.order);
  const restock = Math.min(own.restock, removed + shipped - returned);
  const accepted = updateOrder(setKnown(state, purchase, at, 'yes'), own.order, {
    returned: returned + restock,
  });
  return addStock(endIfOver(accepted, own.order), { product, pieces: restock });
}

/** A partly shipped order of which nothing is left to send is shipped. */
function endIfOver(state: State, id: string): State {
  const order = getOrder(state, id);
  const isOver = order.status === 'paid' && order.shipped > 0 && countLeft(order) === 0;
  return isOver ? updateOrder(state, id, { status: 'sipping' }) : state;
}

/** For the only order, or for exactly the rest of one order or of all. */
function assign(state: State, purchase: string, at: number): State {
  const amount = getPurchase(state, purchase).refunds[at]?.amount ?? 0;
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
  if (meant.length === 0) return state;
  const assigned = meant.reduce((next, { id, rest }) => {
    const order = getOrder(next, id);
    const isRest = rest === order.pieces - order.refunded && order.status === 'paid';
    const removed = isRest ? countLeft(order) : 0;
    const pieces = Math.min(removed, order.pieces - order.refundedPieces);
    const updated = updateOrder(next, id, {
      refunded: order.refunded + rest,
      refundedPieces: order.refundedPieces + pieces,
      removed: order.removed + removed,
      lines: [...order.lines, { key: '', pieces, removed }],
    });
    return endIfOver(updated, id);
  }, state);
  return setKnown(assigned, purchase, at, 'yes');
}

const setKnown = (state: State, id: string, at: number, known: ProviderRefund['known']): State =>
  updatePurchase(state, id, {
    refunds: getPurchase(state, id).refunds.map((refund, index) =>
      index === at ? { ...refund, known } : refund,
    ),
  });

const sumAmounts = (refunds: readonly ProviderRefund[]): number =>
  refunds.reduce((sum, { amount }) => sum + amount, 0);

/** How many pieces a payment of the purchase pays for. */
const countPaid = (state: State, purchase: string): number =>
  listOrders(state, purchase).reduce((sum, [, { pieces }]) => sum + pieces, 0);

/** Forgets the key if there is no value. */
function remember(state: State, key: string, value?: number): State {
  const { [key]: _, ...memory } = state.memory;
  return { ...state, memory: value === undefined ? memory : { ...memory, [key]: value } };
}
