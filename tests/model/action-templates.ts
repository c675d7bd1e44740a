import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { isUnassigned, listOwed } from './refund-rules.ts';
import {
  type Action,
  type Card,
  countLeft,
  type Line,
  listOrders,
  type Refund,
  type State,
} from './rules.ts';

/** A random action whose target is chosen only when it runs. The indexes count back from the newest, which is 0. */
type ActionTemplate = {
  type: Action['type'];
  orderIndex: number;
  intentIndex: number;
  /** Prefers targets on which the action can succeed. */
  preferValid: boolean;
  pieces: number;
  card: Card;
};

const actionWeights: [number, Action['type']][] = [
  [2, 'order'],
  [3, 'order several'],
  [5, 'open'],
  [7, 'confirm'],
  [4, 'report paid'],
  [3, 'event'],
  [3, 'delete'],
  [4, 'end hold'],
  [5, 'periodic work'],
  [2, 'ship'],
  [4, 'ship pieces'],
  [2, 'take back'],
  [3, 'readdress'],
  [6, 'refund'],
  [3, 'refund at provider'],
  [4, 'fail refund'],
  [3, 'refund again'],
  [2, 'settle'],
  [5, 'assign'],
  [2, 'refund all'],
  [3, 'return'],
  [2, 'decide dispute'],
  [1, 'promote'],
  [1, 'demote'],
  [1, 'delete product'],
];

export const actionTemplate: fc.Arbitrary<ActionTemplate> = fc.record({
  type: fc.oneof(...actionWeights.map(([weight, name]) => ({ weight, arbitrary: fc.constant(name) }))),
  // Mostly the same order, to provoke conflicts.
  orderIndex: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(4) }),
  intentIndex: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(4) }),
  preferValid: fc.constantFrom(true, true, false),
  pieces: fc.integer({ min: 1, max: 4 }),
  card: fc.oneof(
    { weight: 8, arbitrary: fc.constant('accepted' as const) },
    { weight: 2, arbitrary: fc.constant('declined' as const) },
    { weight: 1, arbitrary: fc.constant('disputed' as const) },
  ),
});

/** Chooses the target of a template. If there is none, returns the action that creates one. */
export function fillTemplate(template: ActionTemplate, state: State): Action {
  const { products, orders, purchases, intents } = state;
  const validFor = template.preferValid ? validStatuses[template.type] : undefined;
  const order = pickNewest(
    sortValidLast(orders, ({ status }) => validFor?.includes(status)),
    template.orderIndex,
  );
  const purchase = orders[order ?? '']?.purchase ?? '';
  const orderIntent = purchases[purchase]?.intent;
  const intentIds = sortValidLast(
    intents,
    (status) => template.preferValid && status === (template.type === 'confirm' ? 'open' : 'paid'),
  );
  const intent =
    (template.intentIndex === 0 && !template.preferValid && orderIntent) ||
    pickNewest(intentIds, template.intentIndex);
  const product = pickNewest(Object.keys(products), template.pieces) ?? '';
  const person = template.orderIndex % 2;
  switch (template.type) {
    case 'periodic work':
      return { type: 'periodic work' };
    case 'promote':
    case 'demote':
      return { type: template.type, person };
    case 'delete product':
      // Keep at least one product.
      if (Object.keys(products).length > 1) return { type: template.type, product };
  }
  if (template.type === 'order several')
    return { type: template.type, person, lines: chooseLines(template, products) };
  if (order === undefined || template.type === 'order' || template.type === 'delete product')
    return { type: 'order', person, product, pieces: template.pieces };
  const onRefund = workOnRefund(template, state);
  if (onRefund) return onRefund;
  const needsPayment = ['ship', 'ship pieces', 'take back', 'refund', 'refund all', 'return'].includes(
    template.type,
  );
  if (template.preferValid && needsPayment && !isPaid(orders[order]?.status))
    return continuePayment(template, state, order);
  switch (template.type) {
    case 'ship':
      return { type: 'ship', order, person: template.pieces % 2 };
    case 'take back': {
      const parcel = pickNewest(Object.keys(state.parcels), template.orderIndex);
      if (parcel !== undefined) return { type: 'take back', parcel };
      return { type: 'ship pieces', order, pieces: 1 };
    }
    case 'readdress':
      return { type: 'readdress', order, by: template.pieces % 2 ? 'owner' : 'admin' };
    case 'ship pieces':
      return { type: 'ship pieces', order, pieces: Math.ceil(template.pieces / 2) };
    case 'refund':
    case 'fail refund':
    case 'refund again':
    case 'settle':
      return requestRefund(template, order);
    case 'refund all':
      return { type: 'refund all', purchase, restock: template.pieces % 2 === 0, tag: randomUUID() };
    case 'return':
      return { type: 'return', order, pieces: Math.ceil(template.pieces / 2) };
    case 'open':
      return openPurchase(template, state, order);
    case 'delete':
      return { type: 'delete', order };
    case 'end hold':
      return { type: 'end hold', purchase };
  }
  if (intent === undefined) return openPurchase(template, state, order);
  switch (template.type) {
    case 'confirm':
      return { type: 'confirm', intent, card: template.card };
    case 'report paid': {
      const paidOrder = Object.keys(orders)
        .filter((id) => purchases[orders[id]?.purchase ?? '']?.intent === intent)
        .at(template.pieces % 2 ? 0 : -1);
      return { type: 'report paid', order: (template.preferValid && paidOrder) || order, intent };
    }
    case 'event':
      return { type: 'event', intent, about: template.pieces % 2 ? 'payment' : 'refund' };
    case 'refund at provider':
    case 'assign':
      return { type: 'refund at provider', intent, pieces: template.pieces };
    case 'decide dispute': {
      const disputed = Object.values(purchases).findLast(({ dispute }) => dispute?.status === 'open')?.intent;
      if (disputed === undefined) return { type: 'confirm', intent, card: 'disputed' };
      return { type: 'decide dispute', intent: disputed, status: template.pieces > 1 ? 'lost' : 'won' };
    }
  }
}

function requestRefund({ pieces, intentIndex, card }: ActionTemplate, order: string): Action {
  const refunded = card === 'declined' ? undefined : Math.max(1, pieces - 1);
  const restock = (pieces + intentIndex) % 3;
  return { type: 'refund', order, pieces: refunded, restock, tag: randomUUID() };
}

/** Creates an action about a refund. Undefined for an action about something else, or if there is no such refund. */
function workOnRefund(template: ActionTemplate, state: State): Action | undefined {
  const { type, pieces, orderIndex, preferValid } = template;
  const all = Object.entries(state.purchases).flatMap(([purchase, { refunds }]) =>
    refunds.map((refund) => ({ purchase, refund })),
  );
  const pick = (isValid: (refund: Refund) => boolean) => {
    const valid = preferValid ? all.filter(({ refund }) => isValid(refund)) : all;
    return valid.at(-1 - (template.intentIndex % Math.max(1, valid.length)));
  };
  const fail = (): Action | undefined => {
    const target = pick(({ status }) => status === 'succeeded');
    return target && { type: 'fail refund', purchase: target.purchase, refund: target.refund.id };
  };
  switch (type) {
    case 'fail refund':
      return fail();
    case 'refund again':
    case 'settle': {
      const target = pick((refund) => listOwed(state, refund).length > 0);
      if (!target) return fail();
      const { purchase, refund } = target;
      const about = { purchase, refund: refund.id };
      if (type === 'settle') return { type, ...about, outcome: pieces % 2 ? 'repaid' : 'nothing_owed' };
      const owed = listOwed(state, refund).reduce((sum, { amount }) => sum + amount, 0);
      return { type, ...about, pieces: owed || refund.amount, tag: randomUUID() };
    }
    case 'assign': {
      const target = pick((refund) => isUnassigned(state, refund));
      if (!target) return createUnclearRefund(state);
      const { purchase, refund } = target;
      let left = refund.amount;
      const orders = listOrders(state, purchase);
      const lines = (pieces > 2 ? orders : orders.reverse()).flatMap(([order, each]) => {
        const amount = Math.min(left, each.pieces - each.refunded);
        left -= amount;
        const refunded = Math.min(pieces - 1, each.pieces - each.refundedPieces);
        const restock = orderIndex % 2 ? 0 : Math.min(refunded, countLeft(each));
        return amount > 0 ? [{ order, amount, pieces: refunded, restock }] : [];
      });
      return { type, purchase, refund: refund.id, lines };
    }
  }
  return undefined;
}

/** A refund in the dashboard that may be for any of several paid orders. */
function createUnclearRefund({ orders, purchases }: State): Action | undefined {
  const paid = Object.values(orders).filter(({ status }) => isPaid(status));
  const one = paid.findLast((order) =>
    paid.some((other) => other !== order && other.purchase === order.purchase),
  );
  const intent = purchases[one?.purchase ?? '']?.intent;
  return intent === undefined ? undefined : { type: 'refund at provider', intent, pieces: 1 };
}

/** Up to three products, all of which are available if `preferValid` and possible. */
function chooseLines({ pieces, preferValid }: ActionTemplate, products: State['products']): Line[] {
  const lines = Object.entries(products)
    .slice(pieces % 2 ? -2 : -3)
    .map(([product, { minimum, available }], index) => {
      const wanted = 1 + ((pieces + index) % 3);
      return { product, pieces: preferValid ? Math.max(minimum, Math.min(wanted, available)) : wanted };
    });
  return pieces > 2 ? lines : lines.reverse();
}

/** An action as sent by a page that shows the purchase's current state. */
function openPurchase({ preferValid }: ActionTemplate, state: State, order: string): Action {
  const purchase = state.orders[order]?.purchase ?? '';
  const pieces = listOrders(state, purchase).reduce((sum, [, each]) => sum + each.pieces, 0);
  return { type: 'open', purchase, order: preferValid ? order : undefined, pieces };
}

const isPaid = (status: string | undefined) => status === 'paid' || status === 'sipping';

/** The next step on the way to a paid order. */
function continuePayment(template: ActionTemplate, state: State, order: string): Action {
  const intent = state.purchases[state.orders[order]?.purchase ?? '']?.intent ?? '';
  if (state.intents[intent] === 'paid') return { type: 'report paid', order, intent };
  if (state.intents[intent] === 'open') return { type: 'confirm', intent, card: 'accepted' };
  return openPurchase(template, state, order);
}

/** Order statuses in which an action can succeed. */
const validStatuses: Partial<Record<Action['type'], string[]>> = {
  open: [''],
  delete: ['', 'expired'],
  'end hold': [''],
  readdress: ['', 'paid'],
  ship: ['paid'],
  'ship pieces': ['paid'],
  'take back': ['paid', 'sipping'],
  refund: ['paid', 'sipping'],
  'refund all': ['paid', 'sipping'],
  return: ['paid', 'sipping'],
};

function sortValidLast<T>(all: Record<string, T>, isValid: (value: T) => boolean | undefined): string[] {
  const ids = Object.keys(all);
  const validIds = new Set(Object.entries(all).flatMap(([id, value]) => (isValid(value) ? [id] : [])));
  return [...ids.filter((id) => !validIds.has(id)), ...validIds];
}

const pickNewest = (ids: string[], at: number) => ids.at(-1 - (at % ids.length));
