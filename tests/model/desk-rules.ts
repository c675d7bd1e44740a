import {
  addLines,
  changeRefund,
  forgetVersion,
  getRefund,
  isLeft,
  isUnassigned,
  listOwed,
} from './refund-rules.ts';
import { endIfOver } from './refund-syncs.ts';
import {
  type Action,
  addStock,
  advanceVersion,
  countLeft,
  countUnaccepted,
  expectRejection,
  expectValue,
  findPurchase,
  getOrder,
  type Outcome,
  removeRest,
  type State,
  type Step,
  updateOrder,
  updatePurchase,
} from './rules.ts';

/* An admin's actions on failed refunds, on refunds made in the dashboard, and on pieces that come back; the bank's decisions. */

/** Settles a failed refund: its amount was repaid another way, which counts as refunded, or it is not owed. */
export function settleRefund(
  { purchase, refund: id, outcome: settled }: Extract<Action, { type: 'settle' }>,
  outcome: Outcome,
): Step {
  return (state) => {
    const refund = getRefund(state, purchase, id);
    if (refund.outcome === settled) return expectValue(outcome, '0', state);
    const lines = listOwed(state, refund);
    const isRepaid = settled === 'repaid';
    const isPossible = lines.length > 0 && (!isRepaid || lines.every((line) => isLeft(state, line)));
    if (!isPossible) return expectRejection(outcome, state);
    const after = lines.reduce(
      (next, { order: orderId, amount }) => {
        const { owed, refunded } = getOrder(next, orderId);
        const fields = { owed: owed - amount, refunded: refunded + (isRepaid ? amount : 0) };
        return removeRest(updateOrder(next, orderId, fields), orderId);
      },
      changeRefund(state, purchase, id, { outcome: settled }),
    );
    return expectValue(outcome, '1', advanceVersion(after, purchase));
  };
}

/** Assigns a refund made in the dashboard to orders. A line of all the money that is left of an order removes its unshipped pieces. */
export function assignRefund(
  { purchase, refund: id, lines: wanted }: Extract<Action, { type: 'assign' }>,
  outcome: Outcome,
  key: string,
): Step {
  return (before) => {
    const { isOutdated, state } = forgetVersion(before, purchase, key);
    const refund = getRefund(state, purchase, id);
    const lines = wanted.map((line) => ({ ...line, ...countPieces(state, line) }));
    const isPossible =
      !isOutdated &&
      isUnassigned(state, refund) &&
      lines.reduce((sum, { amount }) => sum + amount, 0) === refund.amount &&
      lines.every((line) => isLeft(state, line) && line.isPossible);
    if (!isPossible) return expectRejection(outcome, state);
    const assigned = addLines(
      state,
      id,
      lines.map(({ order, amount, pieces, removed, restock }) => ({
        order,
        amount,
        pieces,
        removed,
        restock,
      })),
    );
    const after = lines.reduce(
      (next, { order, restock }) => endIfOver(returnPieces(next, order, restock), order),
      assigned,
    );
    return expectValue(outcome, '1', advanceVersion(after, purchase));
  };
}

function countPieces(
  state: State,
  line: { order: string; amount: number; pieces: number; restock: number },
): { pieces: number; removed: number; isPossible: boolean } {
  const order = getOrder(state, line.order);
  const left = countLeft(order);
  const unrefunded = order.pieces - order.refundedPieces;
  const isRest = line.amount === order.pieces - order.refunded;
  const pieces = isRest ? Math.max(line.pieces, Math.min(left, unrefunded)) : line.pieces;
  const removed = isRest ? left : Math.min(pieces, left);
  return { pieces, removed, isPossible: pieces <= unrefunded && line.restock <= removed };
}

/** Puts pieces back into stock: shipped ones, and ones that refunds have removed once the provider has accepted these refunds. */
export function recordReturn(
  { order: id, pieces }: Extract<Action, { type: 'return' }>,
  outcome: Outcome,
  key: string,
): Step {
  return (before) => {
    const order = getOrder(before, id);
    const { isOutdated, state } = forgetVersion(before, order.purchase, key);
    const most = order.removed + order.shipped - (countUnaccepted(state, order) ?? 0);
    if (isOutdated || order.returned + pieces > most) return expectRejection(outcome, state);
    return expectValue(outcome, '1', advanceVersion(returnPieces(state, id, pieces), order.purchase));
  };
}

function returnPieces(state: State, id: string, pieces: number): State {
  const { product, returned } = getOrder(state, id);
  return addStock(updateOrder(state, id, { returned: returned + pieces }), { product, pieces });
}

/** The bank decides about a dispute once. */
export function decideDispute(
  { intent, status }: Extract<Action, { type: 'decide dispute' }>,
  outcome: Outcome,
): Step {
  return (state) => {
    const [id, purchase] = findPurchase(state, intent) ?? [];
    const { dispute } = purchase ?? {};
    if (!id || dispute?.status !== 'open') return expectRejection(outcome, state);
    return outcome.ok ? updatePurchase(state, id, { dispute: { ...dispute, status } }) : undefined;
  };
}
