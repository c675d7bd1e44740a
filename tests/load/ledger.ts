import type { Profile } from '../../contract/accounts/users.ts';
import type { Client } from '../../web/client/api/client.ts';
import type { OpeningStock } from '../support/auditor.ts';
import type { TestUser } from '../support/requests.ts';
import type { createShopClient } from '../support/shop-client.ts';

export type Ledger = ReturnType<typeof createLedger>;

export type ShopClient = ReturnType<typeof createShopClient>;

export type Customer = TestUser & {
  shop: ShopClient;
  client: Client;
  /** The last confirmed profile, and later ones that were sent but got no response. */
  profile: { saved?: Profile; pending: Profile[] };
  /** Whether the deletion of the account has been requested. */
  isLeaving: boolean;
  /** Whether the deletion has been confirmed. */
  isGone: boolean;
};

/** A write with an `Idempotency-Key`. Repeating it must return the first response's id. */
export type KeyedWrite = {
  kind: string;
  /** Sends the write, again if necessary, and returns the id. */
  send: () => Promise<string>;
  /** Undefined while no response has arrived. */
  id?: string;
  /** The number of requests for this write that are in progress. */
  pending?: number;
  /** Records the confirmed write. */
  onDone: (id: string) => void;
  /** Whether a rejection with this status is right, for example because the write's product or customer is gone by now. */
  mayBeRejected?: (status: number) => boolean;
};

type OrderState = '' | 'paid' | 'sipping' | 'expired' | 'deleted';

export type OrderEntry = {
  customer: Customer;
  /** Orders of one purchase are paid together. */
  purchase?: string;
  product: string;
  pieces: number;
  /** The price at the time of the order. */
  price: number;
  /** All possible states: the last known state, and the states that unanswered requests may have led to. */
  allowed: Set<OrderState>;
  /** The payment intents that may have paid the order. */
  intents: Set<string>;
};

/** A confirmed refund. */
type RefundEntry = { order: string; restock: number };

type ProductEntry = OpeningStock & { allowed: Set<'on-sale' | 'deleted'> };

/** Records all writes and responses, and thus what the shop must show. */
export function createLedger({ hasOutages = false } = {}) {
  return {
    /** Whether the database fails at times. A write that gets a 503 may then have been executed all the same. */
    hasOutages,
    customers: [] as Customer[],
    writes: [] as KeyedWrite[],
    orders: new Map<string, OrderEntry>(),
    products: new Map<string, ProductEntry>(),
    refunds: new Map<string, RefundEntry>(),
    /** Confirmed refunds that were refused when they were repeated. */
    refusedRefunds: new Set<string>(),
    reviews: new Set<string>(),
    /** The products of confirmed stock changes, by the id of the change. */
    stockChanges: new Map<string, string>(),
    /** URLs of images. */
    images: [] as string[],
    /** The number of successful requests. */
    answered: 0,
    /** The number of requests without a response. */
    unanswered: 0,
    /** The actions that have succeeded at least once. */
    succeeded: new Set<string>(),
    /** How often requests were rejected, by problem type. */
    rejected: new Map<string, number>(),
    /** Responses that a correct shop never sends. */
    violations: [] as string[],
  };
}

/** A final order no longer changes, except that a paid one may be shipped. */
const isFinal = ({ allowed }: OrderEntry) => !allowed.has('') && !allowed.has('expired');

export const isPaid = ({ allowed }: OrderEntry) => allowed.has('paid') || allowed.has('sipping');

/** Records that a request may have brought the order into this state, unless its known state excludes that. */
export function allowState(order: OrderEntry, state: OrderState): void {
  if (!isFinal(order) || (state === 'sipping' && order.allowed.has('paid'))) order.allowed.add(state);
}

/** Records that the order is in this state. A paid order may still be shipped if that was requested. */
export function confirmState(ledger: Ledger, id: string, state: OrderState): void {
  const order = ledger.orders.get(id);
  if (!order) return;
  const { allowed } = order;
  // The order may have been shipped before the response to its payment arrived.
  if (state === 'paid' && allowed.has('sipping'))
    order.allowed = new Set(allowed.has('paid') ? ['paid', 'sipping'] : ['sipping']);
  else if (allowed.has(state)) order.allowed = new Set([state]);
  else
    ledger.violations.push(`order ${id} is '${state}' now, but may only be '${[...allowed].join("' or '")}'`);
}
