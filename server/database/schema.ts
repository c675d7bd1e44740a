import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { Act } from '../../contract/audit.ts';

/** Better Auth's columns: SQLite returns ISO 8601 text for dates and 0 or 1 for booleans. */
type Moment = ColumnType<Date | string, Date, Date>;
type Flag = ColumnType<boolean | number, boolean, boolean>;

export type Engine = 'sqlite' | 'postgres';

/** Rows as they are stored: money in minor units, times in milliseconds since 1970, ids as text. */
export type Schema = {
  migration: { name: string; applied_at: number };
  setting: { name: string; value: string };
  product: {
    id: string;
    name: string;
    price: number;
    image: string;
    description: string;
    /** The minimum quantity of an order. */
    minimum: number;
    /** The stock, without the quantities that unpaid orders hold. */
    available: number;
    /** The user who added it. */
    email: string;
    created_at: number;
  };
  orders: {
    id: string;
    product_id: string;
    product_name: string;
    quantity: number;
    total: number;
    currency: string;
    email: string;
    user_name: string;
    phone: string;
    address: string;
    status: '' | 'paid' | 'sipping' | 'expired';
    /** The payment intent that paid it. */
    transaction_id: string | null;
    created_at: number;
    hold_until: number;
    /** The previous release inserts null, which a trigger replaces. */
    purchase_id: string;
  };
  /** Orders that were placed together. The purchase of a single order has the order's id. */
  purchase: {
    id: string;
    /** Its reference for people, such as `K7QD-2M4X`. */
    number: string;
    email: string;
    created_at: number;
    /** Null for a purchase paid before this was recorded. */
    paid_at: number | null;
  };
  basket_line: {
    user_id: string;
    product_id: string;
    /** When it was added; shown once the product is gone. */
    product_name: string;
    quantity: number;
    added_at: number;
  };
  /** One attempt to pay for a purchase. It outlives its orders. */
  payment: {
    id: string;
    /** The purchase's id: the column is older than purchases. */
    order_id: string;
    attempt: number;
    amount: number;
    currency: string;
    /** The provider's payment intent, once created. */
    intent: string | null;
    state: 'open' | 'paid' | 'cancelled' | 'refund_due' | 'refunded';
    /** The provider's status of the refund of a `refund_due` or `refunded` payment; null before one is requested. */
    refund_status: 'pending' | 'succeeded' | 'failed' | 'canceled' | null;
    created_at: number;
  };
  /** Payments at the provider that bear our shop's id but are not in this database (after a restore). */
  unknown_payment: { intent: string; amount: number; currency: string; order_id: string; seen_at: number };
  review: {
    id: string;
    name: string;
    email: string;
    rating: number;
    text: string;
    image: string;
    created_at: number;
    state: Generated<'visible' | 'hidden'>;
    /** The admin's reason; '' while the review is visible. */
    hidden_reason: Generated<string>;
  };
  /** Actions of admins. Append-only. */
  audit: { id: string; at: number; who: string; what: Act; of: string; name: string };
  /** The result of a user's first request with each `Idempotency-Key`; `person` is the user's id. */
  first_answer: {
    person: string;
    key: string;
    /** SHA-256 of the call and its body. */
    request: string;
    inserted_id: string;
    created_at: number;
  };
  /** Rate-limit counters; the window ends at `ends_at`. */
  tries: { name: string; count: number; ends_at: number };
  lease: { name: string; holder: string; until: number };
  last_time: { name: string; at: number };
  /** Logged errors by hour (whole hours since 1970) and message, with the time and request of the last one. */
  failure: { hour: number; what: string; times: number; last_at: number; request_id: string | null };
  /** An image in one width, served by its `id`. */
  picture: {
    /** `{sha256 of the widest}-{width}`. */
    id: string;
    hash: string;
    width: number;
    type: string;
    bytes: Uint8Array;
    /** The user who uploaded it; '' for the shop's own. */
    email: string;
    created_at: number;
  };
  user: {
    id: string;
    name: string;
    email: string;
    emailVerified: Flag;
    image: string | null;
    createdAt: Moment;
    updatedAt: Moment;
    role: string | null;
    address: Generated<string>;
    phone: Generated<string>;
    education: Generated<string>;
    linkedIn: Generated<string>;
  };
  session: {
    id: string;
    token: string;
    userId: string;
    expiresAt: Moment;
    createdAt: Moment;
    updatedAt: Moment;
    ipAddress: string | null;
    userAgent: string | null;
  };
  verification: { id: string; expiresAt: Moment };
  account: {
    id: string;
    accountId: string;
    providerId: string;
    userId: string;
    password: string | null;
    createdAt: Moment;
    updatedAt: Moment;
  };
};

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;
