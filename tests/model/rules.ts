/*
 * A pure model of the shop: the response and next state of each step. `explanation.ts` searches for an interleaving of steps
 * that explains what the real shop did.
 */

export type State = {
  /** By id, without deleted products. */
  products: Record<string, { available: number; minimum: number }>;
  orders: Record<string, Order>;
  /** The provider's intents, by id. */
  intents: Record<string, 'open' | 'paid' | 'cancelled'>;
  /** Whether a user is an admin, by the user's index. */
  admins: Record<number, boolean>;
};

type Order = {
  product: string;
  pieces: number;
  status: '' | 'paid' | 'sipping' | 'expired' | 'deleted';
  /** The hold has ended, but the order has not expired yet. */
  overdue: boolean;
  /** The newest intent; earlier ones are cancelled. */
  intent: string | undefined;
  transaction: string | undefined;
};

/** One action of a user, the provider, or time. */
export type Action =
  | { type: 'order'; person: number; product: string; pieces: number }
  | { type: 'open' | 'delete' | 'end hold'; order: string }
  | { type: 'ship'; order: string; person: number }
  | { type: 'confirm'; intent: string; card: 'accepted' | 'declined' }
  | { type: 'report paid'; order: string; intent: string }
  | { type: 'event'; intent: string }
  | { type: 'promote' | 'demote'; person: number }
  | { type: 'delete product'; product: string }
  | { type: 'periodic work' };

/** The id or count in the response, or a rejection. `conflict` means 409: another request changed the same order. */
export type Outcome = { ok: true; value: string } | { ok: false; conflict: boolean };

export type PerformedAction = { action: Action; outcome: Outcome };

/** Returns the next state, or undefined if the outcome was impossible in this state. */
export type Step = (state: State) => State | undefined;

const expectRejection = (outcome: Outcome, state: State) => (outcome.ok ? undefined : state);
const expectValue = (outcome: Outcome, value: string, state: State) =>
  outcome.ok && outcome.value === value ? state : undefined;

export function placeOrder(action: Extract<Action, { type: 'order' }>, outcome: Outcome): Step {
  return (state) => {
    const product = state.products[action.product];
    if (!product || action.pieces < product.minimum || action.pieces > product.available)
      return expectRejection(outcome, state);
    if (!outcome.ok || state.orders[outcome.value]) return undefined;
    const { product: id, pieces } = action;
    const order = { product: id, pieces, overdue: false, intent: undefined, transaction: undefined };
    return addStock(
      { ...state, orders: { ...state.orders, [outcome.value]: { ...order, status: '' } } },
      id,
      -pieces,
    );
  };
}

/** An expired order reserves its stock again if enough is left. */
export const renewHold =
  (id: string): Step =>
  (state) => {
    const order = getOrder(state, id);
    const product = state.products[order.product];
    if (order.status !== 'expired' || !product || product.available < order.pieces) return state;
    return addStock(updateOrder(state, id, { status: '', overdue: false }), order.product, -order.pieces);
  };

export function openPayment(id: string, outcome: Outcome): Step {
  return (before) => {
    // A conflict means no change in this step; `renewHold` is a separate step.
    if (!outcome.ok && outcome.conflict) return before;
    const state = applyPayment(renewHold(id)(before) ?? before, id);
    const { status, intent } = getOrder(state, id);
    if (status !== '') return expectRejection(outcome, state);
    if (intent && state.intents[intent] === 'open') return expectValue(outcome, intent, state);
    if (!outcome.ok || state.intents[outcome.value]) return undefined;
    return setIntent(updateOrder(state, id, { intent: outcome.value }), outcome.value, 'open');
  };
}

export function confirmIntent(
  { intent, card }: Extract<Action, { type: 'confirm' }>,
  outcome: Outcome,
): Step {
  return (state) => {
    if (state.intents[intent] !== 'open' || card === 'declined') return expectRejection(outcome, state);
    return expectValue(outcome, 'succeeded', setIntent(state, intent, 'paid'));
  };
}

export function reportPaid(
  { order: id, intent }: Extract<Action, { type: 'report paid' }>,
  outcome: Outcome,
): Step {
  return (state) => {
    const order = getOrder(state, id);
    if (order.transaction === intent) return expectValue(outcome, '0', state);
    if (order.status !== '' || order.intent !== intent || state.intents[intent] !== 'paid')
      return expectRejection(outcome, state);
    return expectValue(outcome, '1', applyPayment(state, id));
  };
}

/** The shop reads an intent's status, because of a webhook or in the periodic work. */
export const settlePayment =
  (intent: string): Step =>
  (state) => {
    const [id] = Object.entries(state.orders).find(([, order]) => order.intent === intent) ?? [];
    return id === undefined ? state : applyPayment(state, id);
  };

/** The first step of deleting or expiring an order: its payment is cancelled, or turns out to have succeeded. */
export const cancelPayment =
  (id: string, onlyOverdue: boolean): Step =>
  (state) => {
    const { status, overdue } = getOrder(state, id);
    return status !== '' || (onlyOverdue && !overdue) ? state : applyCancellation(state, id);
  };

export function deleteOrder(id: string, outcome: Outcome): Step {
  return (before) => {
    if (!outcome.ok && outcome.conflict) return before;
    const state = applyCancellation(before, id);
    const { status, product, pieces } = getOrder(state, id);
    if (status !== '' && status !== 'expired') return expectRejection(outcome, state);
    const restocked = status === '' ? addStock(state, product, pieces) : state;
    return expectValue(outcome, '1', updateOrder(restocked, id, { status: 'deleted' }));
  };
}

export const expireOrder =
  (id: string): Step =>
  (before) => {
    if (getOrder(before, id).status !== '' || !getOrder(before, id).overdue) return before;
    const state = applyCancellation(before, id);
    const { status, product, pieces } = getOrder(state, id);
    return status === '' ? addStock(updateOrder(state, id, { status: 'expired' }), product, pieces) : state;
  };

export const endHold =
  (id: string): Step =>
  (state) =>
    getOrder(state, id).status === '' ? updateOrder(state, id, { overdue: true }) : state;

export function shipOrder({ order: id, person }: Extract<Action, { type: 'ship' }>, outcome: Outcome): Step {
  return (state) => {
    const { status } = getOrder(state, id);
    if (!state.admins[person] || (status !== 'paid' && status !== 'sipping'))
      return expectRejection(outcome, state);
    return expectValue(outcome, status === 'paid' ? '1' : '0', updateOrder(state, id, { status: 'sipping' }));
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

function getOrder(state: State, id: string): Order {
  const order = state.orders[id];
  if (!order) throw new Error(`The model has no order ${id}.`);
  return order;
}

function applyPayment(state: State, id: string): State {
  const { status, intent } = getOrder(state, id);
  const paid = status === '' && intent !== undefined && state.intents[intent] === 'paid';
  return paid ? updateOrder(state, id, { status: 'paid', transaction: intent }) : state;
}

function applyCancellation(before: State, id: string): State {
  const state = applyPayment(before, id);
  const { status, intent } = getOrder(state, id);
  return status === '' && intent !== undefined ? setIntent(state, intent, 'cancelled') : state;
}

const updateOrder = (state: State, id: string, fields: Partial<Order>): State => ({
  ...state,
  orders: { ...state.orders, [id]: { ...getOrder(state, id), ...fields } },
});

const setIntent = (state: State, id: string, status: 'open' | 'paid' | 'cancelled'): State => ({
  ...state,
  intents: { ...state.intents, [id]: status },
});

/** No effect on a deleted product. */
function addStock(state: State, id: string, pieces: number): State {
  const product = state.products[id];
  if (!product) return state;
  const available = product.available + pieces;
  return { ...state, products: { ...state.products, [id]: { ...product, available } } };
}
