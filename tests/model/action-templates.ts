import fc from 'fast-check';
import { type Action, type Line, listOrders, type State } from './rules.ts';

/** A random action whose target is chosen only when it runs. The indexes count back from the newest, which is 0. */
type ActionTemplate = {
  type: Action['type'];
  orderIndex: number;
  intentIndex: number;
  /** Prefers targets on which the action can succeed. */
  preferValid: boolean;
  pieces: number;
  card: 'accepted' | 'declined';
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
  [2, 'refund at provider'],
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
  card: fc.constantFrom('accepted', 'accepted', 'accepted', 'accepted', 'declined'),
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
  const needsPayment = ['ship', 'ship pieces', 'take back', 'refund'].includes(template.type);
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
    case 'refund': {
      const { pieces, intentIndex, card } = template;
      const refunded = card === 'declined' ? undefined : Math.max(1, pieces - 1);
      return { type: 'refund', order, pieces: refunded, restock: (pieces + intentIndex) % 3 };
    }
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
      return { type: 'refund at provider', intent, pieces: template.pieces };
  }
}

/** Up to three products, all of which are available if `preferValid` and possible. */
function chooseLines({ pieces, preferValid }: ActionTemplate, products: State['products']): Line[] {
  const lines = Object.entries(products)
    .slice(pieces % 2 ? -2 : -3)
    .map(([product, { minimum, available }], at) => {
      const wanted = 1 + ((pieces + at) % 3);
      return { product, pieces: preferValid ? Math.max(minimum, Math.min(wanted, available)) : wanted };
    });
  return pieces > 2 ? lines : lines.reverse();
}

/** As sent by a page that shows the purchase's current state. */
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
};

function sortValidLast<T>(all: Record<string, T>, isValid: (value: T) => boolean | undefined): string[] {
  const ids = Object.keys(all);
  const validIds = new Set(Object.entries(all).flatMap(([id, value]) => (isValid(value) ? [id] : [])));
  return [...ids.filter((id) => !validIds.has(id)), ...validIds];
}

const pickNewest = (ids: string[], at: number) => ids.at(-1 - (at % ids.length));
