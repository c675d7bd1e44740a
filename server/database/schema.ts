import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { Act } from '../../contract/admin/audit.ts';
import type { Service } from '../../contract/admin/health.ts';
import type { StockReason } from '../../contract/catalogue/stock.ts';
import type { MailKind } from '../../contract/mail.ts';
import type { RefundOutcome, RefundReason, RefundStatus } from '../../contract/orders/refunds.ts';

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
    /** The first of its images. */
    image: string;
    description: string;
    /** The minimum quantity of an order. */
    minimum: number;
    /** The stock, without the quantities that unpaid orders hold. */
    available: number;
    /** The admin who added it. */
    user_id: string | null;
    created_at: number;
    /** Counts the edits by admins, from 1. Orders do not change it. */
    version: Generated<number>;
    category: string | null;
    /** An admin's threshold: less stock than this is low. */
    low_stock: number | null;
    /** Lines such as `Height: 62 mm`. */
    facts: string | null;
    /** Grams; null if unknown. */
    weight: number | null;
    /** The codes of countries that it is not sent to, separated by spaces. */
    not_to: string | null;
    /** The code of the Harmonized System for customs, and the country of origin. */
    hs_code: string | null;
    origin: string | null;
    /** Where it is in the shop's stock room. */
    shelf: string | null;
    /** When it was taken off sale; null while it is on sale. */
    archived_at: number | null;
    /** The `seq` of its last recorded stock change; 0 before the first. */
    stock_seq: Generated<number>;
    /** The number of its visible reviews and the sum of their ratings. Triggers maintain them. */
    rating_count: Generated<number>;
    rating_sum: Generated<number>;
    /** The sort key of the name (`toNameKey`). Triggers maintain both keys. */
    name_key: Generated<string>;
    /** Categories that look the same have the same key (`toCategoryKey`). */
    category_key: Generated<string | null>;
  };
  /** The stock history: every change of `product.available`. */
  stock_change: {
    /** The order's id for a sale, the product's for the opening stock. */
    id: string;
    product_id: string;
    /** Counts the changes of one product, from 1. */
    seq: number;
    change: number;
    /** The stock after the change. */
    level: number;
    reason: StockReason;
    note: string;
    /** The admin, and their email address at the time; null and '' if a customer or the shop changed it. */
    actor_id: string | null;
    actor: string;
    /** The order that changed the stock. It may have been deleted since. */
    order_id: string | null;
    created_at: number;
  };
  /** The images after `product.image`, from position 1. */
  further_image: { product_id: string; position: number; url: string };
  /** The words of names, in lower case and without accents. Triggers maintain them. */
  user_word: { user_id: string; word: string };
  product_word: { product_id: string; word: string };
  /** The words of the names and addresses of paid purchases, and the keys of their phone numbers (`toPhoneKey`). */
  purchase_word: { word: string; number: string };
  /** Each product's name and description as the search compares them (`search-text.ts`). Triggers maintain these five tables. */
  search_text: { number: number; product_id: string; name: string; description: string };
  /** The last `search_text.number`; a row instead of a sequence (`tests/cluster/shared-sql.long.test.ts`). */
  search_number: { last: number };
  /** The words of names (tier 0) and of descriptions (tier 1). */
  search_entry: { tier: number; word: string; number: number };
  /** Every word that a product has or has had. */
  search_word: { word: string };
  /** The suffixes of each word, and the word with one letter left out: searches match inside words and despite a typo. */
  search_form: { kind: 'suffix' | 'deletion'; form: string; word: string };
  /** Holds what its orders have in common. A purchase placed by `POST /orders` has the id of its order. */
  purchase: {
    id: string;
    /** A human-readable reference, such as `K7QD-2M4X`. */
    number: string;
    /** Null once the customer has deleted their account. */
    user_id: string | null;
    /** The address of a customer without an account; ''. */
    guest_email: Generated<string>;
    /** The customer's details when the purchase was placed. '' once the shop need not keep them. */
    name: string;
    phone: string;
    address: string;
    currency: string;
    /** The sum of its orders and its charges (`sumPurchase`). */
    total: number;
    status: '' | 'paid' | 'expired';
    created_at: number;
    hold_until: number;
    /** Counts the changes of the purchase and its orders, from 1 (`server/shop/orders/version.ts`). */
    version: Generated<number>;
    /** The total of its pending and succeeded refunds. */
    refunded: Generated<number>;
    /** The part of `refunded` that was refunded at the provider, and for which the shop does not know the orders. */
    unassigned: Generated<number>;
    /** The total of its lost disputes, which the bank has taken back. */
    charged_back: Generated<number>;
    paid_at: number | null;
    /** The payment intent that paid it. */
    transaction_id: string | null;
    account_deleted_at: number | null;
    /**
     * Where it is sent, and the address on the invoice if it is another one: JSON (`PostalAddress`). Null before the checkout, and
     * once the customer has deleted their account: `name` and `address` stay.
     */
    ship_to: string | null;
    bill_to: string | null;
    /** The id of the chosen rate. Null before the checkout, and again after one of its orders was deleted. */
    rate: string | null;
    /** Where and when the customer collects it, in the words of the chosen rate; null if it is sent. */
    pickup: string | null;
    /** The customer's remark. */
    remark: string | null;
    /** 1 once saving the checkout has renewed the hold. */
    hold_renewed: Generated<number>;
    /** How many working days the chosen rate takes; null if it promises none. */
    days_min: number | null;
    days_max: number | null;
    /**
     * Once it is paid, the promised dates of arrival, such as 2026-12-24, and the last day on which sending it keeps the promise.
     */
    arrives_from: string | null;
    arrives_to: string | null;
    send_by: string | null;
  };
  /** An amount that is paid for a purchase besides its orders. */
  charge: {
    id: string;
    purchase_id: string;
    kind: 'delivery';
    /** The name of the rate when it was chosen. */
    label: string;
    amount: number;
    /** Like the columns of `order_line`. */
    refunded: Generated<number>;
    refund_pending: Generated<number>;
    owed: Generated<number>;
  };
  /** The part of a refund that is for a charge. */
  refund_charge: { refund_id: string; charge_id: string; amount: number };
  /** An entry of a customer's address book; `value` is JSON (`PostalAddress`). */
  address: { id: string; user_id: string; value: string };
  /** An order, in the specification's words: one product of a purchase. */
  order_line: {
    id: string;
    purchase_id: string;
    /** Copied from its purchase. */
    user_id: string | null;
    product_id: string;
    product_name: string;
    quantity: number;
    total: number;
    /** The status of its purchase, or `sipping` once nothing is left to ship. */
    status: '' | 'paid' | 'sipping' | 'expired';
    created_at: number;
    /** The total of its pending and succeeded refunds. */
    refunded: Generated<number>;
    /** The part of `refunded` that is pending. */
    refund_pending: Generated<number>;
    /** The total of its refunds that failed after the provider had accepted them: the customer still gets this amount. */
    owed: Generated<number>;
    /** How many of its pieces are refunded. It stays if a refund fails after the provider has accepted it. */
    refunded_quantity: Generated<number>;
    /** How many of its pieces will not be shipped, because they were refunded first. */
    removed: Generated<number>;
    /** How many of its removed or shipped pieces are in stock again. */
    returned: Generated<number>;
    /** 1 if it will be shipped although it is refunded in full. */
    still_send: Generated<number>;
    /** 1 if a dispute of its purchase was lost. */
    is_charged_back: Generated<number>;
    /** How many of its pieces are shipped: the sum of its shipment lines. */
    shipped: Generated<number>;
    /** This column and the next three describe the last parcel. */
    shipped_at: number | null;
    carrier: string | null;
    tracking_number: string | null;
    /** Set only if an admin entered it; otherwise the link is generated from the carrier and the number. */
    tracking_url: string | null;
  };
  /** A parcel. */
  shipment: {
    id: string;
    /** The customer's name and address when it was shipped. '' once the shop need not keep them. */
    name: string;
    address: string;
    carrier: string | null;
    tracking_number: string | null;
    /** Set only if an admin entered it; otherwise the link is generated from the carrier and the number. */
    tracking_url: string | null;
    /** The admin who shipped it, and their email address at the time. */
    actor_id: string;
    actor: string;
    created_at: number;
  };
  /** How many pieces of an order are in a parcel. */
  shipment_line: { shipment_id: string; order_line_id: string; quantity: number };
  /** A correction of the name, address or phone of a purchase. */
  delivery_change: {
    id: string;
    purchase_id: string;
    /** The admin, and their email address at the time; null and '' if the customer changed it. */
    actor_id: string | null;
    actor: string;
    created_at: number;
  };
  /** An admin's note about a purchase, for admins only. */
  order_note: {
    id: string;
    purchase_id: string;
    text: string;
    actor_id: string;
    actor: string;
    created_at: number;
  };
  /** A user's basket has the user's id. A visitor's basket is found by the hash of a token in the visitor's browser. */
  basket: { id: string; user_id: string | null; token_hash: string | null; created_at: number };
  basket_line: {
    basket_id: string;
    product_id: string;
    /** The name when the line was added; shown once the product is gone. */
    product_name: string;
    quantity: number;
    added_at: number;
  };
  /** A user's request for one message when a sold-out product is back in stock. */
  back_in_stock: { user_id: string; product_id: string; requested_at: number; stop_token: string };
  /** One attempt to pay for a purchase. It outlives its orders. */
  payment: {
    id: string;
    purchase_id: string;
    attempt: number;
    amount: number;
    currency: string;
    /** The provider's payment intent, once created. */
    intent: string | null;
    /** The provider's account that has the intent; null if the key may not read it. */
    account: string | null;
    /** `undecided`: the payment succeeded in time, but was found when its purchase had expired and the stock was gone. */
    state: 'open' | 'paid' | 'cancelled' | 'undecided' | 'refund_due' | 'refunded';
    created_at: number;
  };
  /**
   * A refund of a paid purchase, requested by an admin or made at the provider, or an automatic refund of a payment that paid no
   * purchase.
   */
  refund: {
    id: string;
    payment_id: string;
    purchase_id: string;
    amount: number;
    currency: string;
    /** `automatic`: the refund of a `refund_due` or `refunded` payment (`refunds/payment-refunds.ts`). */
    reason: RefundReason | 'automatic';
    note: string;
    status: RefundStatus;
    /** Why it failed, in the provider's words; '' if it has not. */
    failure: string;
    /** The id of the refund at the provider, once the provider has accepted it. */
    provider_id: string | null;
    /** The admin who requested it, and their email address at the time; null and '' if nobody did. */
    actor_id: string | null;
    actor: string;
    /** The failed refund whose amount this refund pays again. */
    replaces: string | null;
    /** 1 if its orders will be shipped although they are refunded in full. */
    still_send: Generated<number>;
    /**
     * When the shop ceased to owe the amount of this failed refund, and why: refunded again, repaid another way, or not owed. If the
     * provider later makes the refund anyway, this stays set: the customer may have been paid twice.
     */
    settled_at: number | null;
    outcome: RefundOutcome | null;
    /** The admin who settled it, like `actor_id` and `actor`. */
    settled_by_id: string | null;
    settled_by: Generated<string>;
    created_at: number;
    /** When its status last changed. */
    updated_at: number;
  };
  /** The part of a refund that is for one order. */
  refund_line: {
    id: string;
    refund_id: string;
    order_line_id: string;
    amount: number;
    /** Pieces refunded; null if unknown. */
    quantity: number | null;
    /** Pieces that return to stock once the provider accepts the refund. */
    restock: number;
    /** How many unshipped pieces this refund removes from the order, so that they will not be shipped. */
    removed: number;
  };
  /** A payment that the customer disputes with their bank, as the provider last reported it. */
  dispute: {
    id: string;
    purchase_id: string;
    intent: string;
    amount: number;
    currency: string;
    reason: string;
    status: string;
    /** 1 until it is decided, then 0. */
    is_open: number;
    /** The provider's deadline for evidence. */
    respond_by: number | null;
    /** When the shop learned the decision; null while it is open. */
    decided_at: number | null;
    created_at: number;
  };
  /** Totals of the orders paid before the setting `sales counted until`. Days are counted from 1970-01-01, in the shop's time zone. */
  sales_by_day: { day: number; currency: string; orders: number; revenue: number };
  product_sales_by_day: {
    day: number;
    currency: string;
    product_id: string;
    /** The name when it was last ordered; shown once the product is deleted. */
    product_name: string;
    pieces: number;
    revenue: number;
  };
  /** The sums of `product_sales_by_day` over the last 30 days. */
  recent_product_sales: {
    currency: string;
    product_id: string;
    product_name: string;
    pieces: number;
    revenue: number;
  };
  /**
   * The sums of `product_sales_by_day`, without unfinished days, over a `period`: a week (`week of 2026-11-16`), a month
   * (`2026-11`) or a year (`2026`).
   */
  product_sales_by_period: Schema['recent_product_sales'] & { period: string };
  /** Payments at the provider that bear our shop's id but are not in this database (after a restore). */
  unknown_payment: {
    intent: string;
    amount: number;
    currency: string;
    /** The id and the number of the purchase that it was meant for. */
    purchase_id: string;
    number: string;
    /** An admin's decision; '' before. */
    outcome: '' | 'paid' | 'refunded' | 'dismissed';
    seen_at: number;
  };
  review: {
    id: string;
    /** Null once the author has deleted their account. */
    user_id: string | null;
    name: string;
    rating: number;
    text: string;
    image: string;
    created_at: number;
    /** A pending review waits for an admin's approval. */
    state: Generated<'visible' | 'pending' | 'hidden'>;
    /** The admin's reason; '' unless the review is hidden. */
    hidden_reason: Generated<string>;
    /** Counts the author's edits and the shop's answers, from 1. */
    version: Generated<number>;
    /** The shop's public answer; '' if there is none. */
    answer: Generated<string>;
    answered_at: number | null;
    /** The product that it is about; null for the shop in general. The product may have been deleted. */
    product_id: string | null;
    /** The name when the review was written; shown once the product is deleted. */
    product_name: string | null;
  };
  /** A reader's report of a review. Admins dismiss it, or hide the review. */
  review_report: { review_id: string; user_id: string; reason: string; created_at: number };
  /** Actions of admins. Append-only. */
  audit: {
    id: string;
    created_at: number;
    /** The admin's id, also once the account is deleted; null for commands and the shop. */
    actor_id: string | null;
    /** The admin's email address at the time, or a description. */
    actor: string;
    action: Act;
    /** The id of what was changed, such as an order or a user. */
    target: string;
    /** The target's name at the time. */
    name: string;
    details: Generated<string>;
    /** How many pieces came back to stock, for the order's history; null for other actions. */
    quantity: number | null;
  };
  /** The result of a user's first request with each `Idempotency-Key`; `scope` is the user's id. */
  idempotency_key: {
    scope: string;
    key: string;
    /** SHA-256 of the call, its body and its parameters. */
    request: string;
    inserted_id: string;
    created_at: number;
  };
  /** The outbox. */
  mail: {
    /** The message's `Message-ID` contains it. */
    id: string;
    kind: MailKind;
    /**
     * The user who gets the message, at the address that they have when it is sent. Null if the message goes to a fixed address.
     */
    user_id: string | null;
    /** For a user, the address of the last attempt; '' before the first. */
    recipient: string;
    /**
     * The subject of the message: for example the id of a purchase, the user's id (for notices), several product ids, the problems
     * on Health as JSON, or ''. The message's text is written when it is sent.
     */
    about: string;
    state: 'waiting' | 'sent' | 'failed';
    /** The number of attempts, including one in progress. */
    attempts: Generated<number>;
    /** When to try next. */
    due_at: number;
    /** A message that has not been sent by then fails. */
    give_up_at: number;
    created_at: number;
    sent_at: number | null;
  };
  /** The mail server's response to each attempt, or why there was none. */
  mail_attempt: { mail_id: string; attempt: number; at: number; response: string };
  /** A message from the contact form. `answered_at` is null until an admin has marked it as answered. */
  contact_message: {
    id: string;
    email: string;
    text: string;
    created_at: number;
    answered_at: number | null;
  };
  /** A confirmed address of the newsletter. `token` is in the link that unsubscribes it. */
  subscriber: { id: string; email: string; token: string; confirmed_at: number };
  /** A problem on Health that was reported to the admins. `latest` changes when the problem happens again. */
  trouble_report: { name: string; latest: string; reported_at: number };
  /** Rate-limit counters; the window ends at `ends_at`. */
  rate_limit: { name: string; count: number; ends_at: number };
  /** The newest imported files: the SHA-256 of each file, and the `target` in the audit entry of its latest import. */
  imported_file: { digest: string; import_id: string };
  lease: { name: string; holder: string; until: number };
  last_time: { name: string; at: number };
  /** A service that the shop depends on and that has been failing since the time `since`. */
  outage: { service: Service; since: number; problem: string };
  /** Logged errors by hour (whole hours since 1970) and message, with the time and request of the last one. */
  error_count: { hour: number; what: string; times: number; last_at: number; request_id: string | null };
  /** An image in one width, served by its `id`. */
  image: {
    /** `{sha256 of the widest}-{width}`. */
    id: string;
    hash: string;
    width: number;
    type: string;
    bytes: Uint8Array;
    /** The user who uploaded it; null for the shop's own images and for images that several users uploaded. */
    user_id: string | null;
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
    twoFactorEnabled: ColumnType<boolean | number, boolean | undefined, boolean>;
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
    /** Whether the session was opened with a second factor or passed one later. */
    secondFactor: ColumnType<boolean | number, boolean | undefined, boolean>;
  };
  /** A user's authenticator app and recovery codes, both encrypted with the AUTH_SECRET. */
  twoFactor: {
    id: string;
    userId: string;
    secret: string;
    backupCodes: string;
    /** False until the user has entered the first correct code. */
    verified: Flag;
    failedVerificationCount: Generated<number>;
    lockedUntil: Moment | null;
  };
  /** A user's passkeys: their public keys. The private keys stay on the user's devices. */
  passkey: {
    id: string;
    /** The user's own name for it. */
    name: string;
    publicKey: string;
    userId: string;
    credentialID: string;
    /** How often the device has used the passkey, if the device counts. */
    counter: number;
    deviceType: string;
    /** Whether it is synced to the user's other devices. */
    backedUp: Flag;
    transports: string | null;
    createdAt: Moment;
    /** The model of its device or password manager. */
    aaguid: string;
  };
  verification: {
    /** For links in messages, their purpose and address; see `server/identity/recovery/`. */
    id: string;
    /** The hash of a token, the state of a sign-in with Google, a sign-in's second step or a trusted device. */
    identifier: string;
    value: string;
    expiresAt: Moment;
    createdAt: Moment;
    updatedAt: Moment;
  };
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
