import {
  type Action,
  advanceVersion,
  countChargedBack,
  countLeft,
  expectRejection,
  findPurchase,
  getOrder,
  getPurchase,
  listOrders,
  type Outcome,
  type Refund,
  type RefundLine,
  type State,
  type Step,
  sumPieces,
  updateOrder,
  updatePurchase,
} from './rules.ts';

/*
 * The steps of refunds that are requested in the shop or in the provider's dashboard. `refund-syncs.ts` has the steps by which the
 * shop learns their outcome.
 */

type Request = Extract<Action, { type: 'refund' | 'refund all' | 'refund again' }>;
type NewLine = Omit<RefundLine, 'refund'> & { order: string };

/** The step before an admin's change: the admin reads the purchase, and so its version. */
export const readVersion =
  (purchase: string, key: string): Step =>
  (state) => ({ ...state, memory: { ...state.memory, [key]: getPurchase(state, purchase).version } });

/** Whether the version that was read is outdated, and the state without it. */
export function forgetVersion(before: State, purchase: string, key: string) {
  const { [key]: version, ...memory } = before.memory;
  return { isOutdated: version !== getPurchase(before, purchase).version, state: { ...before, memory } };
}

export const getPurchaseId = (state: State, action: { order: string } | { purchase: string }): string =>
  'purchase' in action ? action.purchase : getOrder(state, action.order).purchase;

/** The first step of a refund: its amounts are reserved, and its unshipped pieces are removed. */
export function reserveRefund(action: Request, outcome: Outcome, key: string): Step {
  return (before) => {
    const purchase = getPurchaseId(before, action);
    const { isOutdated, state } = forgetVersion(before, purchase, key);
    const isReserved = outcome.ok || outcome.refused === true;
    if (isOutdated) return isReserved ? undefined : state;
    if (!outcome.ok && outcome.outdated) return undefined;
    const lines = listRequested(state, action);
    const amount = lines.reduce((sum, line) => sum + line.amount, 0);
    const most = countUnrefunded(state, purchase);
    const chargedBack = countChargedBack(state, purchase);
    const isPossible = amount > 0 && amount <= most && (chargedBack === 0 || amount <= most - chargedBack);
    if (!isPossible || !isReserved) return isPossible === isReserved ? state : undefined;
    const replaces = action.type === 'refund again' ? { replaces: action.refund } : {};
    const refund: Refund = {
      id: action.tag,
      isOwn: true,
      amount,
      ...replaces,
      status: 'unsent',
      known: 'no',
    };
    return advanceVersion(addLines(addRefund(state, purchase, refund), refund.id, lines), purchase);
  };
}

/** The lines of the requested refund. Empty if the shop must reject the request. */
function listRequested(state: State, action: Request): NewLine[] {
  const purchase = getPurchaseId(state, action);
  const orders = listOrders(state, purchase);
  const isPaid = orders.every(([, { status }]) => status === 'paid' || status === 'sipping');
  if (!isPaid) return [];
  switch (action.type) {
    case 'refund': {
      const order = getOrder(state, action.order);
      const rest = order.pieces - order.refunded - order.owed;
      const amount = action.pieces ?? rest;
      // The number of pieces that `refundOrder` (`tests/support/payments.ts`) sends.
      const pieces = amount === rest ? order.pieces - order.refundedPieces : action.restock;
      const removed = Math.min(pieces, countLeft(order));
      const isPossible =
        order.status !== 'deleted' &&
        amount <= rest &&
        order.refundedPieces + pieces <= order.pieces &&
        action.restock <= removed &&
        (amount < rest || pieces >= countLeft(order));
      return isPossible ? [{ order: action.order, amount, pieces, removed, restock: action.restock }] : [];
    }
    case 'refund all':
      if (countUnassigned(state, purchase) > 0) return [];
      return orders.flatMap(([id, order]) => {
        const amount = order.pieces - order.refunded - order.owed;
        const pieces = order.pieces - order.refundedPieces;
        const removed = Math.min(pieces, countLeft(order));
        const restock = action.restock ? removed : 0;
        return amount > 0 ? [{ order: id, amount, pieces, removed, restock }] : [];
      });
    case 'refund again': {
      const lines = listOwed(state, getRefund(state, purchase, action.refund));
      const owed = lines.reduce((sum, { amount }) => sum + amount, 0);
      const isPossible = owed === action.pieces && lines.every((line) => isLeft(state, line));
      return isPossible ? lines.map((line) => ({ ...line, pieces: 0, removed: 0, restock: 0 })) : [];
    }
  }
}

/** Whether an amount can be refunded within the price of an order. Amounts that are owed but not refunded don't count. */
export function isLeft(state: State, { order: id, amount }: { order: string; amount: number }): boolean {
  const order = getOrder(state, id);
  return order.refunded + amount <= order.pieces;
}

/** The amount that the shop owes from a failed refund, unless another refund pays it. */
export function listOwed(state: State, { id, known, status, outcome }: Refund): NewLine[] {
  const hasFailed = known === 'failed' || status === 'refused';
  if (!hasFailed || outcome !== undefined) return [];
  const isAgain = Object.values(state.purchases).some(({ refunds }) =>
    refunds.some((other) => other.replaces === id && other.known !== 'failed' && other.status !== 'refused'),
  );
  return isAgain ? [] : listLines(state, id);
}

/** The lines of a refund, with their orders. */
export const listLines = ({ orders }: State, refund: string): NewLine[] =>
  Object.entries(orders).flatMap(([order, { lines }]) =>
    lines.filter((line) => line.refund === refund).map((line) => ({ ...line, order })),
  );

/** Adds lines of a refund to the orders: their amounts count as refunded, and their removed pieces will not be shipped. */
export const addLines = (state: State, refund: string, lines: NewLine[]): State =>
  lines.reduce((next, { order: id, ...line }) => {
    const order = getOrder(next, id);
    return updateOrder(next, id, {
      refunded: order.refunded + line.amount,
      refundedPieces: order.refundedPieces + line.pieces,
      removed: order.removed + line.removed,
      lines: [...order.lines, { ...line, refund }],
    });
  }, state);

/** The amount that is left of a purchase, without refunds made in the dashboard that are not assigned to its orders. */
function countUnrefunded(state: State, purchase: string): number {
  const refunded = listOrders(state, purchase).reduce((sum, [, order]) => sum + order.refunded, 0);
  return sumPieces(state, purchase) - refunded - countUnassigned(state, purchase);
}

/** The amount of refunds made in the dashboard that are not assigned to orders. */
export const countUnassigned = (state: State, purchase: string): number =>
  sumAmounts(getPurchase(state, purchase).refunds.filter((refund) => isUnassigned(state, refund)));

export const isUnassigned = (state: State, { id, known }: Refund): boolean =>
  known === 'accepted' && listLines(state, id).length === 0;

/**
 * The provider makes the reserved refund. It refuses if too little is left, because it has made refunds that the shop does not know,
 * or if the customer disputes the payment.
 */
export function sendRefund(action: Request, outcome: Outcome): Step {
  return (state) => {
    const purchase = getPurchaseId(state, action);
    const refund = getRefund(state, purchase, action.tag);
    if (!canRefund(state, purchase, refund.amount)) return expectRejection(outcome, state);
    if (!outcome.ok) return undefined;
    const others = getPurchase(state, purchase).refunds.filter(({ id }) => id !== refund.id);
    return updatePurchase(state, purchase, { refunds: [...others, { ...refund, status: 'succeeded' }] });
  };
}

function canRefund(state: State, id: string, amount: number): boolean {
  const { refunds, dispute } = getPurchase(state, id);
  const isRefundable = dispute === undefined || dispute.status === 'won';
  return isRefundable && sumSucceeded(refunds) + amount <= sumPieces(state, id);
}

/** The amount that the provider has refunded. */
export const sumSucceeded = (refunds: readonly Refund[]): number =>
  sumAmounts(refunds.filter(({ status }) => status === 'succeeded'));

/** Undoes a refused refund. If the order was shipped without the refunded pieces, they stay removed, and the shop owes the amount. */
export function undoRefund(action: Request): Step {
  return (state) => {
    const purchase = getPurchaseId(state, action);
    const refund = getRefund(state, purchase, action.tag);
    if (refund.status !== 'unsent') return state;
    const undone = listLines(state, refund.id).reduce((next, { order: id, amount, pieces, removed }) => {
      const order = getOrder(next, id);
      const isLeftOut = removed > 0 && order.status === 'sipping';
      return updateOrder(next, id, {
        refunded: order.refunded - amount,
        ...(isLeftOut
          ? { owed: order.owed + amount }
          : {
              refundedPieces: order.refundedPieces - pieces,
              removed: order.removed - removed,
              lines: order.lines.filter((line) => line.refund !== refund.id),
            }),
      });
    }, state);
    return advanceVersion(changeRefund(undone, purchase, refund.id, { status: 'refused' }), purchase);
  };
}

/** A refund in the provider's dashboard, which the shop does not know yet. The outcome is its id. */
export function refundAtProvider(
  { intent, pieces: amount }: Extract<Action, { type: 'refund at provider' }>,
  outcome: Outcome,
): Step {
  return (state) => {
    const [purchase] = findPurchase(state, intent) ?? [];
    const isPossible =
      purchase !== undefined && state.intents[intent] === 'paid' && canRefund(state, purchase, amount);
    if (!isPossible) return expectRejection(outcome, state);
    if (!outcome.ok) return undefined;
    return addRefund(state, purchase, {
      id: outcome.value,
      isOwn: false,
      amount,
      status: 'succeeded',
      known: 'no',
    });
  };
}

/**
 * The bank returns the money of a refund. This never happens for a disputed payment, whose test card has no failing refunds, or for a
 * refund that the provider has refused.
 */
export const failRefund =
  ({ purchase, refund }: Extract<Action, { type: 'fail refund' }>): Step =>
  (state) =>
    getPurchase(state, purchase).dispute || getRefund(state, purchase, refund).status !== 'succeeded'
      ? state
      : changeRefund(state, purchase, refund, { status: 'failed' });

export function getRefund(state: State, purchase: string, id: string): Refund {
  const refund = getPurchase(state, purchase).refunds.find((one) => one.id === id);
  if (!refund) throw new Error(`The model has no refund ${id}.`);
  return refund;
}

const addRefund = (state: State, purchase: string, refund: Refund): State =>
  updatePurchase(state, purchase, { refunds: [...getPurchase(state, purchase).refunds, refund] });

export const changeRefund = (state: State, purchase: string, id: string, fields: Partial<Refund>): State =>
  updatePurchase(state, purchase, {
    refunds: getPurchase(state, purchase).refunds.map((refund) =>
      refund.id === id ? { ...refund, ...fields } : refund,
    ),
  });

const sumAmounts = (refunds: readonly Refund[]): number =>
  refunds.reduce((sum, { amount }) => sum + amount, 0);
