/*
 * A pure model of the shop: the response and next state of each step. `explanation.ts` searches for an interleaving of steps
 * that explains what the real shop did.
 */

export type State = {
  /** By id, without deleted products. */
  products: Record<string, { available: number; minimum: number }>;
  orders: Record<string, Order>;
  /** By id, without parcels that were taken back. */
  parcels: Record<string, Parcel>;
  /** By id. An order that was placed alone is a purchase with the order's id. */
  purchases: Record<string, Purchase>;
  /** The provider's intents, by id. */
  intents: Record<string, 'open' | 'paid' | 'cancelled'>;
  /** Whether a user is an admin, by the user's index. */
  admins: Record<number, boolean>;
  /** The version that an action in progress has read, by the action's key. */
  memory: Record<string, number>;
  /** The refunds that a sync in progress has read from the provider, by the sync's key. */
  reports: Record<string, { id: string; hasFailed: boolean }[]>;
  /** The status of a dispute that a sync in progress has read from the provider, by the sync's key. */
  disputes: Record<string, DisputeStatus>;
};

export type Order = {
  purchase: string;
  /** The index of its owner. */
  person: number;
  product: string;
  pieces: number;
  status: '' | 'paid' | 'sipping' | 'expired' | 'deleted';
  transaction: string | undefined;
  /** The amount that is refunded, and the amount that is owed because a refund has failed, both as numbers of pieces. */
  refunded: number;
  owed: number;
  /** Numbers of pieces: shipped, refunded, removed (never to be shipped, because of a refund), and returned to stock. */
  shipped: number;
  refundedPieces: number;
  removed: number;
  returned: number;
  /** The lines of refunds, the oldest first. A refused refund has one only if the order was shipped without its pieces. */
  lines: RefundLine[];
};

/** The part of a refund that is for one order. All figures are numbers of pieces; `restock` pieces return to stock. */
export type RefundLine = { refund: string; amount: number; pieces: number; removed: number; restock: number };

/** A parcel, which has pieces of one order. */
type Parcel = { order: string; pieces: number };

type Purchase = {
  version: number;
  /** The hold of its orders has ended, but they have not expired yet. */
  overdue: boolean;
  /** The newest intent; earlier ones are cancelled. */
  intent: string | undefined;
  /** The refunds in the order in which the provider has made them. Refunds that the provider has not made can be anywhere. */
  refunds: Refund[];
  /** The dispute of the payment: its status at the bank, and the status that the shop knows. */
  dispute?: { status: DisputeStatus; known: DisputeStatus | 'no' };
};

type DisputeStatus = 'open' | 'won' | 'lost';

export type Refund = {
  /** The tag if the shop has requested the refund, or the provider's id if it was made in the dashboard. */
  id: string;
  isOwn: boolean;
  /** As a number of pieces. */
  amount: number;
  /** The failed refund whose amount this refund pays again. */
  replaces?: string;
  /** The status at the provider. `unsent`: the provider has not received the request; `refused`: it has rejected the request. */
  status: 'unsent' | 'refused' | 'succeeded' | 'failed';
  /** The state of the refund that the shop has read from the provider. */
  known: 'no' | 'accepted' | 'failed';
  /** How a failed refund was settled, so that nothing is owed any more. */
  outcome?: 'refunded' | 'repaid' | 'nothing_owed';
};

export type Line = { product: string; pieces: number };
/** The part of a refund that an admin assigns to an order: the price of `amount` pieces. */
type AssignedLine = { order: string; amount: number; pieces: number; restock: number };
/** How a payment ends. `disputed`: it succeeds, and the customer disputes it at once. */
export type Card = 'accepted' | 'declined' | 'disputed';

/** One action of a user, the provider, or time. */
export type Action =
  | { type: 'order'; person: number; product: string; pieces: number }
  | { type: 'order several'; person: number; lines: Line[] }
  /** Opens a payment from a page that was loaded earlier and showed `pieces`. The call names the purchase or one of its orders. */
  | { type: 'open'; purchase: string; order: string | undefined; pieces: number }
  | { type: 'delete'; order: string }
  | { type: 'end hold'; purchase: string }
  | { type: 'ship'; order: string; person: number }
  | { type: 'ship pieces'; order: string; pieces: number }
  | { type: 'take back'; parcel: string }
  | { type: 'readdress'; order: string; by: 'owner' | 'admin' }
  /** Refunds the price of `pieces`, or everything that is left. The tag identifies the refund. */
  | { type: 'refund'; order: string; pieces: number | undefined; restock: number; tag: string }
  | { type: 'refund all'; purchase: string; restock: boolean; tag: string }
  /** Refunds the amount owed from the failed `refund`, which is the price of `pieces`. */
  | { type: 'refund again'; purchase: string; refund: string; pieces: number; tag: string }
  | { type: 'settle'; purchase: string; refund: string; outcome: 'repaid' | 'nothing_owed' }
  | { type: 'assign'; purchase: string; refund: string; lines: AssignedLine[] }
  | { type: 'return'; order: string; pieces: number }
  | { type: 'refund at provider'; intent: string; pieces: number }
  /** The bank returns the money of a refund that has succeeded. */
  | { type: 'fail refund'; purchase: string; refund: string }
  | { type: 'decide dispute'; intent: string; status: 'won' | 'lost' }
  | { type: 'confirm'; intent: string; card: Card }
  | { type: 'report paid'; order: string; intent: string }
  | { type: 'event'; intent: string; about: 'payment' | 'refund' }
  | { type: 'promote' | 'demote'; person: number }
  | { type: 'delete product'; product: string }
  | { type: 'periodic work' };

/**
 * The ids or count in the response, or a rejection. `conflict` means 409: another request changed the same order. `refused`
 * means 402: the provider refused. `outdated` means that the caller has not seen the purchase's current version.
 */
export type Outcome =
  | { ok: true; value: string }
  | { ok: false; conflict: boolean; refused?: boolean; outdated?: boolean };

export type PerformedAction = { action: Action; outcome: Outcome };

/** Returns the next state, or undefined if the outcome was impossible in this state. */
export type Step = (state: State) => State | undefined;

export const expectRejection = (outcome: Outcome, state: State) => (outcome.ok ? undefined : state);
export const expectValue = (outcome: Outcome, value: string, state: State) =>
  outcome.ok && outcome.value === value ? state : undefined;

export function placeOrder(action: Extract<Action, { type: 'order' }>, outcome: Outcome): Step {
  return placeLines({ ...action, lines: [action] }, outcome, (id) => [id, id]);
}

/** Orders all lines or none. */
export function placePurchase(action: Extract<Action, { type: 'order several' }>, outcome: Outcome): Step {
  return placeLines(action, outcome, (ids) => ids.split(' '));
}

/** `parse` finds the id of the purchase and those of its orders in the response. */
function placeLines(
  { person, lines }: { person: number; lines: Line[] },
  outcome: Outcome,
  parse: (value: string) => string[],
): Step {
  return (before) => {
    // Without products, there is nothing to order.
    const isAvailable =
      lines.length > 0 &&
      lines.every(({ product, pieces }) => {
        const { minimum, available } = before.products[product] ?? { minimum: 0, available: -1 };
        return pieces >= minimum && pieces <= available;
      });
    if (!isAvailable) return expectRejection(outcome, before);
    if (!outcome.ok) return undefined;
    const [purchase = '', ...ids] = parse(outcome.value);
    if (before.purchases[purchase] || ids.length !== lines.length) return undefined;
    const state = updatePurchase(before, purchase, {});
    return lines.reduce((next, { product, pieces }, at) => {
      const order: Order = {
        purchase,
        person,
        product,
        pieces,
        status: '',
        ...newOrder,
      };
      return addStock(setOrder(next, ids[at] ?? '', order), { product, pieces: -pieces });
    }, state);
  };
}

export const newOrder = {
  transaction: undefined,
  refunded: 0,
  owed: 0,
  shipped: 0,
  refundedPieces: 0,
  removed: 0,
  returned: 0,
  lines: [],
};
const newPurchase: Purchase = {
  version: 1,
  overdue: false,
  intent: undefined,
  refunds: [],
};

type Opening = Extract<Action, { type: 'open' }>;

/** Whether the orders are still those that the page has shown. */
function isCurrent(state: State, { purchase, order, pieces }: Opening): boolean {
  const orders = listOrders(state, purchase);
  const isThere = order === undefined || orders.some(([id]) => id === order);
  return isThere && orders.reduce((sum, [, each]) => sum + each.pieces, 0) === pieces;
}

export function openPayment(action: Opening, outcome: Outcome): Step {
  return (before) => {
    if (!outcome.ok && outcome.conflict) return before;
    if (!isCurrent(before, action)) return expectRejection(outcome, before);
    const id = action.purchase;
    const state = applyPayment(before, id);
    const { intent } = getPurchase(state, id);
    if (!isUnpaid(state, id)) return expectRejection(outcome, state);
    if (intent && state.intents[intent] === 'open') return expectValue(outcome, intent, state);
    if (!outcome.ok || state.intents[outcome.value]) return undefined;
    return setIntent(updatePurchase(state, id, { intent: outcome.value }), outcome.value, 'open');
  };
}

export function confirmIntent(
  { intent, card }: Extract<Action, { type: 'confirm' }>,
  outcome: Outcome,
): Step {
  return (state) => {
    const [id] = findPurchase(state, intent) ?? [];
    if (!id || state.intents[intent] !== 'open' || card === 'declined')
      return expectRejection(outcome, state);
    const isDisputed = card === 'disputed';
    const paid = isDisputed ? updatePurchase(state, id, { dispute: { status: 'open', known: 'no' } }) : state;
    return expectValue(outcome, 'succeeded', setIntent(paid, intent, 'paid'));
  };
}

export function reportPaid(
  { order: id, intent }: Extract<Action, { type: 'report paid' }>,
  outcome: Outcome,
): Step {
  return (state) => {
    const order = getOrder(state, id);
    if (order.transaction === intent) return expectValue(outcome, '0', state);
    const isPaid = getPurchase(state, order.purchase).intent === intent && state.intents[intent] === 'paid';
    if (order.status !== '' || !isPaid) return expectRejection(outcome, state);
    return expectValue(outcome, '1', applyPayment(state, order.purchase));
  };
}

/** The shop reads an intent's status, because of a webhook or in the periodic work. */
export const settlePayment =
  (intent: string): Step =>
  (state) => {
    const [id] = findPurchase(state, intent) ?? [];
    return id === undefined ? state : applyPayment(state, id);
  };

/** The first step of deleting an order: the payment of its purchase is cancelled, unless it turns out to have succeeded. */
export const cancelPayment =
  (id: string): Step =>
  (state) => {
    const { status, purchase } = getOrder(state, id);
    return status === '' ? applyCancellation(state, purchase) : state;
  };

/** The first step of expiring a purchase. */
export const cancelOverduePayment =
  (id: string): Step =>
  (state) =>
    getPurchase(state, id).overdue ? applyCancellation(state, id) : state;

/** Deletes an order. The other orders of its purchase stay. */
export function deleteOrder(id: string, outcome: Outcome): Step {
  return (before) => {
    if (!outcome.ok && outcome.conflict) return before;
    const state = cancelPayment(id)(before) ?? before;
    const order = getOrder(state, id);
    if (order.status !== '' && order.status !== 'expired') return expectRejection(outcome, state);
    const restocked = order.status === '' ? addStock(state, order) : state;
    const deleted = updateOrder(restocked, id, { status: 'deleted' });
    return expectValue(outcome, '1', advanceVersion(deleted, order.purchase));
  };
}

/** All orders of a purchase expire at once. */
export const expirePurchase =
  (id: string): Step =>
  (before) => {
    if (!isUnpaid(before, id) || !getPurchase(before, id).overdue) return before;
    const state = applyCancellation(before, id);
    if (!isUnpaid(state, id)) return state;
    const restocked = listOrders(state, id).reduce((next, [, order]) => addStock(next, order), state);
    return advanceVersion(updateOrders(restocked, id, { status: 'expired' }), id);
  };

export const endHold =
  (id: string): Step =>
  (state) =>
    isUnpaid(state, id) ? updatePurchase(state, id, { overdue: true }) : state;

/** How many pieces of an order are neither shipped nor removed. */
export const countLeft = ({ pieces, shipped, removed }: Order): number => pieces - shipped - removed;

/** Whether an order's pieces may be sent: it is not refunded in full, and the bank has not taken the money back. */
const canBeSent = (state: State, { pieces, refunded, purchase }: Order): boolean =>
  refunded < pieces && countChargedBack(state, purchase) === 0;

/** The amount that the bank has taken back: the whole price if a dispute is lost. */
export function countChargedBack(state: State, purchase: string): number {
  const isLost = getPurchase(state, purchase).dispute?.known === 'lost';
  return isLost ? sumPieces(state, purchase) : 0;
}

export const sumPieces = (state: State, purchase: string): number =>
  listOrders(state, purchase).reduce((sum, [, { pieces }]) => sum + pieces, 0);

/** Ships all that is left of an order. Changes nothing if the order is shipped already. */
export function shipOrder({ order: id, person }: Extract<Action, { type: 'ship' }>, outcome: Outcome): Step {
  return (state) => {
    const order = getOrder(state, id);
    const left = countLeft(order);
    const isPossible =
      order.status === 'sipping' || (order.status === 'paid' && left > 0 && canBeSent(state, order));
    if (!state.admins[person] || !isPossible) return expectRejection(outcome, state);
    if (order.status === 'sipping') return expectValue(outcome, '0', state);
    const shipped = order.shipped + left;
    const updated = updateOrder(state, id, { status: 'sipping', shipped });
    return expectValue(outcome, '1', advanceVersion(updated, order.purchase));
  };
}

/** Ships pieces of an order whose version has been read (`readVersion`). The outcome is the parcel's id. */
export function shipPieces(
  { order: id, pieces }: Extract<Action, { type: 'ship pieces' }>,
  outcome: Outcome,
  key: string,
): Step {
  return (before) => {
    const { [key]: version, ...memory } = before.memory;
    const state = { ...before, memory };
    const order = getOrder(state, id);
    const left = countLeft(order);
    const isOutdated = version !== getPurchase(state, order.purchase).version;
    const isPossible = order.status === 'paid' && pieces <= left && canBeSent(state, order);
    if (isOutdated || !isPossible) return expectRejection(outcome, state);
    if (!outcome.ok || state.parcels[outcome.value]) return undefined;
    const status = left === pieces ? 'sipping' : 'paid';
    const shipped = updateOrder(state, id, { status, shipped: order.shipped + pieces });
    return {
      ...advanceVersion(shipped, order.purchase),
      parcels: { ...state.parcels, [outcome.value]: { order: id, pieces } },
    };
  };
}

/**
 * Takes a parcel back, which is possible once. There is no time limit, because the shop of these tests sends no messages. Taking
 * it back is impossible if too many of the pieces are back in stock. Pieces that were refunded while they were shipped are then
 * removed.
 */
export function takeBack({ parcel: id }: Extract<Action, { type: 'take back' }>, outcome: Outcome): Step {
  return (state) => {
    const { [id]: parcel, ...parcels } = state.parcels;
    if (!parcel) return expectRejection(outcome, state);
    const order = getOrder(state, parcel.order);
    const shipped = order.shipped - parcel.pieces;
    const unshipped = order.pieces - shipped;
    const removed = Math.max(order.removed, Math.min(order.refundedPieces, unshipped));
    if (order.returned > removed + shipped) return expectRejection(outcome, state);
    const status = shipped > 0 && removed === unshipped ? 'sipping' : 'paid';
    const lines = removeMore(order.lines, removed - order.removed);
    const updated = updateOrder(state, parcel.order, { status, shipped, removed, lines });
    const after = removeRest(updated, parcel.order);
    return expectValue(outcome, '1', { ...advanceVersion(after, order.purchase), parcels });
  };
}

/** Removes what is left to ship of an order refunded in full, once the provider has accepted all of its refunds. */
export function removeRest(state: State, id: string): State {
  const order = getOrder(state, id);
  const left = countLeft(order);
  if (order.status !== 'paid' || order.refunded < order.pieces || left === 0) return state;
  if (countUnaccepted(state, order) !== undefined) return state;
  return updateOrder(state, id, {
    status: order.shipped > 0 ? 'sipping' : 'paid',
    removed: order.removed + left,
    lines: removeMore(order.lines, left),
  });
}

/** The pieces removed by refunds that the provider has not accepted yet; undefined if there are no such refunds. */
export function countUnaccepted(state: State, { lines, purchase }: Order): number | undefined {
  const open = getPurchase(state, purchase).refunds.filter(
    ({ isOwn, status, known }) => isOwn && known === 'no' && status !== 'refused',
  );
  const own = lines.filter(({ refund }) => open.some(({ id }) => id === refund));
  return own.length === 0 ? undefined : own.reduce((sum, { removed }) => sum + removed, 0);
}

/**
 * Distributes more removed pieces over the lines, the newest first. No line removes more than its pieces, except that the newest
 * one also removes what is left.
 */
export function removeMore(lines: RefundLine[], count: number): RefundLine[] {
  let left = count;
  const more = lines
    .toReversed()
    .map((line) => {
      const added = Math.max(0, Math.min(left, line.pieces - line.removed));
      left -= added;
      return { ...line, removed: line.removed + added };
    })
    .toReversed();
  const newest = more.at(-1);
  return newest ? more.with(-1, { ...newest, removed: newest.removed + left }) : more;
}

/**
 * Corrects a purchase's address after its version has been read (`readVersion`). The owner of the purchase can do so until a
 * piece is shipped.
 */
export function readdress(
  { order: id, by }: Extract<Action, { type: 'readdress' }>,
  outcome: Outcome,
  key: string,
): Step {
  return (before) => {
    const { [key]: version, ...memory } = before.memory;
    const state = { ...before, memory };
    const { purchase, person, status } = getOrder(state, id);
    const isAdmin = by === 'admin' || state.admins[person] === true;
    const isShipped = listOrders(state, purchase).some(([, { shipped }]) => shipped > 0);
    const isOver = status === 'expired' || status === 'deleted';
    const isPossible = !isOver && (isAdmin || !isShipped);
    if (!isPossible || version !== getPurchase(state, purchase).version)
      return expectRejection(outcome, state);
    return expectValue(outcome, '1', advanceVersion(state, purchase));
  };
}

export function setRole(person: number, admin: boolean, outcome: Outcome): Step {
  return (state) => {
    const changes = state.admins[person] !== admin;
    return expectValue(outcome, changes ? '1' : '0', {
      ...state,
      admins: { ...state.admins, [person]: admin },
    });
  };
}

export function deleteProduct(id: string, outcome: Outcome): Step {
  return (state) => {
    if (!state.products[id]) return expectRejection(outcome, state);
    const { [id]: _, ...products } = state.products;
    return expectValue(outcome, '1', { ...state, products });
  };
}

export function getOrder(state: State, id: string): Order {
  const order = state.orders[id];
  if (!order) throw new Error(`The model has no order ${id}.`);
  return order;
}

export function getPurchase(state: State, id: string): Purchase {
  const purchase = state.purchases[id];
  if (!purchase) throw new Error(`The model has no purchase ${id}.`);
  return purchase;
}

export const findPurchase = (
  { purchases }: State,
  intent: string,
): [id: string, purchase: Purchase] | undefined =>
  Object.entries(purchases).find(([, purchase]) => purchase.intent === intent);

/** The orders of a purchase, without deleted ones. */
export const listOrders = (state: State, purchase: string): [id: string, order: Order][] =>
  Object.entries(state.orders).filter(
    ([, order]) => order.purchase === purchase && order.status !== 'deleted',
  );

/** Whether a purchase has unpaid orders, which hold their stock. */
const isUnpaid = (state: State, purchase: string): boolean =>
  listOrders(state, purchase).some(([, { status }]) => status === '');

function applyPayment(state: State, purchase: string): State {
  const { intent } = getPurchase(state, purchase);
  const isPaid = isUnpaid(state, purchase) && intent !== undefined && state.intents[intent] === 'paid';
  if (!isPaid) return state;
  return advanceVersion(updateOrders(state, purchase, { status: 'paid', transaction: intent }), purchase);
}

function applyCancellation(before: State, purchase: string): State {
  const state = applyPayment(before, purchase);
  const { intent } = getPurchase(state, purchase);
  return isUnpaid(state, purchase) && intent !== undefined ? setIntent(state, intent, 'cancelled') : state;
}

const setOrder = (state: State, id: string, order: Order): State => ({
  ...state,
  orders: { ...state.orders, [id]: order },
});

export const updateOrder = (state: State, id: string, fields: Partial<Order>): State =>
  setOrder(state, id, { ...getOrder(state, id), ...fields });

const updateOrders = (state: State, purchase: string, fields: Partial<Order>): State =>
  listOrders(state, purchase).reduce((next, [id]) => updateOrder(next, id, fields), state);

export const updatePurchase = (state: State, id: string, fields: Partial<Purchase>): State => ({
  ...state,
  purchases: {
    ...state.purchases,
    [id]: { ...(state.purchases[id] ?? newPurchase), ...fields },
  },
});

export const advanceVersion = (state: State, purchase: string): State =>
  updatePurchase(state, purchase, { version: getPurchase(state, purchase).version + 1 });

const setIntent = (state: State, id: string, status: 'open' | 'paid' | 'cancelled'): State => ({
  ...state,
  intents: { ...state.intents, [id]: status },
});

/** Adds pieces to a product's stock. Has no effect on a deleted product. */
export function addStock(state: State, { product: id, pieces }: Line): State {
  const product = state.products[id];
  if (!product) return state;
  const available = product.available + pieces;
  return { ...state, products: { ...state.products, [id]: { ...product, available } } };
}
