import {
  type Action,
  addStock,
  advanceVersion,
  expectRejection,
  findPurchase,
  getOrder,
  getPurchase,
  listOrders,
  type Order,
  type Outcome,
  type State,
  type Step,
  updateOrder,
  updatePurchase,
} from './rules.ts';

/* The steps of refunds, which are requested in the shop or in the provider's dashboard. */

type Refund = Extract<Action, { type: 'refund' }>;

/** Before a refund or a shipment: the admin reads the purchase. */
export const readVersion =
  ({ order }: { order: string }, key: string): Step =>
  (state) =>
    remember(state, key, getPurchase(state, getOrder(state, order).purchase).version);

/** The first step of a refund: its amount is reserved, and the pieces return to stock. */
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
    const pieces = action.pieces ?? order.pieces - order.refunded;
    const removed = countPieces(order, action.pieces, restock);
    const isPossible =
      (order.status === 'paid' || order.status === 'sipping') &&
      pieces > 0 &&
      order.refunded + pieces <= order.pieces &&
      order.restocked + restock <= order.pieces;
    const isReserved = outcome.ok || outcome.refused === true;
    if (!isPossible || !isReserved) return isPossible === isReserved ? state : undefined;
    const reserved = updateOrder(state, id, {
      refunded: order.refunded + pieces,
      restocked: order.restocked + restock,
      refundedPieces: order.refundedPieces + removed,
    });
    const remembered = remember(remember(reserved, key, pieces), `${key} pieces`, removed);
    return addStock(advanceVersion(remembered, order.purchase), { product: order.product, pieces: restock });
  };
}

/** How many pieces a refund without their number is for: all that are left if it is for all that is left before shipping. */
function countPieces(order: Order, requested: number | undefined, restock: number): number {
  const isAll =
    requested === undefined || (requested === order.pieces - order.refunded && order.status === 'paid');
  const left = order.pieces - order.refundedPieces;
  return isAll ? left : Math.min(left, restock);
}

/** The provider refunds what was reserved, or refuses because it has refunded more than the shop knows. */
export function sendRefund({ order: id }: Refund, outcome: Outcome, key: string): Step {
  return (state) => {
    const pieces = state.memory[key] ?? 0;
    const { purchase } = getOrder(state, id);
    const refunded = getPurchase(state, purchase).refunded + pieces;
    if (refunded > countPaid(state, purchase)) return expectRejection(outcome, state);
    return outcome.ok ? remember(updatePurchase(state, purchase, { refunded }), key) : undefined;
  };
}

/** Undoes a refused refund: the amount no longer counts, and its pieces leave the stock again unless they have been sold. */
export function undoRefund({ order: id, restock }: Refund, key: string): Step {
  return (state) => {
    const pieces = state.memory[key];
    // The provider has made the refund.
    if (pieces === undefined) return state;
    const { product, purchase, refunded, restocked, refundedPieces } = getOrder(state, id);
    const undone = advanceVersion(
      updateOrder(remember(state, key), id, {
        refunded: refunded - pieces,
        refundedPieces: refundedPieces - (state.memory[`${key} pieces`] ?? 0),
      }),
      purchase,
    );
    if ((state.products[product]?.available ?? -1) < restock) return undone;
    return addStock(updateOrder(undone, id, { restocked: restocked - restock }), {
      product,
      pieces: -restock,
    });
  };
}

/** A refund in the provider's dashboard, which the shop does not know yet. */
export function refundAtProvider(
  { intent, pieces }: Extract<Action, { type: 'refund at provider' }>,
  outcome: Outcome,
): Step {
  return (state) => {
    const [id, purchase] = findPurchase(state, intent) ?? [];
    if (!id || !purchase || state.intents[intent] !== 'paid') return expectRejection(outcome, state);
    const refunded = purchase.refunded + pieces;
    if (refunded > countPaid(state, id)) return expectRejection(outcome, state);
    if (!outcome.ok) return undefined;
    return updatePurchase(state, id, { refunded, external: purchase.external + pieces });
  };
}

/** The first step of a sync: the shop reads the provider's refunds. */
export const readRefunds =
  (purchase: string, key: string): Step =>
  (state) =>
    remember(state, key, getPurchase(state, purchase).external);

/** The second step: the shop allocates those it does not know to the orders in turn, as far as their totals allow. */
export const recordRefunds =
  (purchase: string, key: string): Step =>
  (before) => {
    let state = before;
    let isChanged = false;
    for (const [id, { pieces, refunded, status }] of listOrders(before, purchase)) {
      const { recorded } = getPurchase(state, purchase);
      const unknown = Math.max(0, (before.memory[key] ?? 0) - recorded);
      const added = status === '' ? 0 : Math.min(unknown, pieces - refunded);
      state = updatePurchase(state, purchase, { recorded: recorded + added });
      state = updateOrder(state, id, { refunded: refunded + added });
      isChanged ||= added > 0;
    }
    return remember(isChanged ? advanceVersion(state, purchase) : state, key);
  };

/** How many pieces a payment of the purchase pays for. */
const countPaid = (state: State, purchase: string): number =>
  listOrders(state, purchase).reduce((sum, [, { pieces }]) => sum + pieces, 0);

/** Forgets the key if there is no value. */
function remember(state: State, key: string, value?: number): State {
  const { [key]: _, ...memory } = state.memory;
  return { ...state, memory: value === undefined ? memory : { ...memory, [key]: value } };
}
