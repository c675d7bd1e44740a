/*
 * The shop, small and pure: what it must answer and become, one step after another. `explain.ts` looks whether
 * some order of such steps gives what the real one answered.
 */

export type State = {
  /** By id; gone once it is deleted. */
  products: Record<string, { available: number; minimum: number }>;
  orders: Record<string, Order>;
  /** At the provider, by id. */
  intents: Record<string, 'open' | 'paid' | 'cancelled'>;
  /** Which of the people are admins. */
  admins: Record<number, boolean>;
};

type Order = {
  product: string;
  pieces: number;
  status: '' | 'paid' | 'sipping' | 'expired' | 'deleted';
  /** Its hold has ended, and no look has seen that. */
  overdue: boolean;
  /** The newest one; those before it are cancelled. */
  intent: string | undefined;
  transaction: string | undefined;
};

/** Something that somebody does, all at once with others or alone. */
export type Act =
  | { do: 'order'; person: number; product: string; pieces: number }
  | { do: 'open' | 'delete' | 'end hold'; order: string }
  | { do: 'ship'; order: string; person: number }
  | { do: 'confirm'; intent: string; card: 'good' | 'declined' }
  | { do: 'tell'; order: string; intent: string }
  | { do: 'event'; intent: string }
  | { do: 'promote' | 'demote'; person: number }
  | { do: 'remove product'; product: string }
  | { do: 'look' };

/** What came of it: the id or count that it was answered with, or that it was refused. */
export type Saw = { ok: true; value: string } | { ok: false; busy: boolean };

export type Done = { act: Act; saw: Saw };

/** A step gives the state behind it; undefined where the answer could not have come from here. */
export type Step = (state: State) => State | undefined;

const refused = (saw: Saw, state: State) => (saw.ok ? undefined : state);
const answered = (saw: Saw, value: string, state: State) =>
  saw.ok && saw.value === value ? state : undefined;

export function place(act: Extract<Act, { do: 'order' }>, saw: Saw): Step {
  return (state) => {
    const product = state.products[act.product];
    if (!product || act.pieces < product.minimum || act.pieces > product.available)
      return refused(saw, state);
    if (!saw.ok || state.orders[saw.value]) return undefined;
    const { product: id, pieces } = act;
    const order = { product: id, pieces, overdue: false, intent: undefined, transaction: undefined };
    return addStock(
      { ...state, orders: { ...state.orders, [saw.value]: { ...order, status: '' } } },
      id,
      -pieces,
    );
  };
}

/** An expired order takes its stock again, where there is enough. */
export const retake =
  (id: string): Step =>
  (state) => {
    const order = get(state, id);
    const product = state.products[order.product];
    if (order.status !== 'expired' || !product || product.available < order.pieces) return state;
    return addStock(change(state, id, { status: '', overdue: false }), order.product, -order.pieces);
  };

export function open(id: string, saw: Saw): Step {
  return (before) => {
    // Others came between its steps; what it had done by then is a step of its own.
    if (!saw.ok && saw.busy) return before;
    const state = settled(retake(id)(before) ?? before, id);
    const { status, intent } = get(state, id);
    if (status !== '') return refused(saw, state);
    if (intent && state.intents[intent] === 'open') return answered(saw, intent, state);
    if (!saw.ok || state.intents[saw.value]) return undefined;
    return setIntent(change(state, id, { intent: saw.value }), saw.value, 'open');
  };
}

export function confirm({ intent, card }: Extract<Act, { do: 'confirm' }>, saw: Saw): Step {
  return (state) => {
    if (state.intents[intent] !== 'open' || card === 'declined') return refused(saw, state);
    return answered(saw, 'succeeded', setIntent(state, intent, 'paid'));
  };
}

export function tell({ order: id, intent }: Extract<Act, { do: 'tell' }>, saw: Saw): Step {
  return (state) => {
    const order = get(state, id);
    if (order.transaction === intent) return answered(saw, '0', state);
    if (order.status !== '' || order.intent !== intent || state.intents[intent] !== 'paid')
      return refused(saw, state);
    return answered(saw, '1', settled(state, id));
  };
}

/** The provider tells of an intent, or the look asks for it. */
export const settle =
  (intent: string): Step =>
  (state) => {
    const [id] = Object.entries(state.orders).find(([, order]) => order.intent === intent) ?? [];
    return id === undefined ? state : settled(state, id);
  };

/** The first half of ending an order: its payment is cancelled, or found to have succeeded. */
export const cancel =
  (id: string, onlyOverdue: boolean): Step =>
  (state) => {
    const { status, overdue } = get(state, id);
    return status !== '' || (onlyOverdue && !overdue) ? state : cancelled(state, id);
  };

export function remove(id: string, saw: Saw): Step {
  return (before) => {
    if (!saw.ok && saw.busy) return before;
    const state = cancelled(before, id);
    const { status, product, pieces } = get(state, id);
    if (status !== '' && status !== 'expired') return refused(saw, state);
    const left = status === '' ? addStock(state, product, pieces) : state;
    return answered(saw, '1', change(left, id, { status: 'deleted' }));
  };
}

export const expire =
  (id: string): Step =>
  (before) => {
    if (get(before, id).status !== '' || !get(before, id).overdue) return before;
    const state = cancelled(before, id);
    const { status, product, pieces } = get(state, id);
    return status === '' ? addStock(change(state, id, { status: 'expired' }), product, pieces) : state;
  };

export const endHold =
  (id: string): Step =>
  (state) =>
    get(state, id).status === '' ? change(state, id, { overdue: true }) : state;

export function ship({ order: id, person }: Extract<Act, { do: 'ship' }>, saw: Saw): Step {
  return (state) => {
    const { status } = get(state, id);
    if (!state.admins[person] || (status !== 'paid' && status !== 'sipping')) return refused(saw, state);
    return answered(saw, status === 'paid' ? '1' : '0', change(state, id, { status: 'sipping' }));
  };
}

export function setRole(person: number, admin: boolean, saw: Saw): Step {
  return (state) => {
    const changes = state.admins[person] !== admin;
    return answered(saw, changes ? '1' : '0', { ...state, admins: { ...state.admins, [person]: admin } });
  };
}

export function removeProduct(id: string, saw: Saw): Step {
  return (state) => {
    if (!state.products[id]) return refused(saw, state);
    const { [id]: _, ...products } = state.products;
    return answered(saw, '1', { ...state, products });
  };
}

function get(state: State, id: string): Order {
  const order = state.orders[id];
  if (!order) throw new Error(`The model knows no order ${id}.`);
  return order;
}

function settled(state: State, id: string): State {
  const { status, intent } = get(state, id);
  const paid = status === '' && intent !== undefined && state.intents[intent] === 'paid';
  return paid ? change(state, id, { status: 'paid', transaction: intent }) : state;
}

function cancelled(before: State, id: string): State {
  const state = settled(before, id);
  const { status, intent } = get(state, id);
  return status === '' && intent !== undefined ? setIntent(state, intent, 'cancelled') : state;
}

const change = (state: State, id: string, fields: Partial<Order>): State => ({
  ...state,
  orders: { ...state.orders, [id]: { ...get(state, id), ...fields } },
});

const setIntent = (state: State, id: string, now: 'open' | 'paid' | 'cancelled'): State => ({
  ...state,
  intents: { ...state.intents, [id]: now },
});

/** What comes back to a product that is gone is dropped. */
function addStock(state: State, id: string, pieces: number): State {
  const product = state.products[id];
  if (!product) return state;
  const available = product.available + pieces;
  return { ...state, products: { ...state.products, [id]: { ...product, available } } };
}
