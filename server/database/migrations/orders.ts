import type { Statements } from './dialects.ts';

/**
 * The same condition as `toShipCondition` in `server/shop/orders/queries.ts`. SQLite recognizes it only if there is a plain column
 * to the left of the `<`.
 */
const toShip = `status = 'paid' and shipped < quantity - removed and (refunded < total or still_send = 1) and is_charged_back = 0`;

/** Purchases and their orders, parcels, payments, refunds and disputes. */
export const orderTables: Statements = ({ byteOrder, clustered }) => [
  // A purchase holds what its orders have in common. `user_id` has no `on delete` action, so a deletion that forgets the purchases
  // fails.
  `create table purchase (
    id text primary key,
    number text not null unique,
    user_id text references "user" (id),
    -- The customer's own address, if they have no account.
    guest_email text not null default '',
    name text not null,
    phone text not null,
    address text not null,
    currency text not null,
    total bigint not null check (total > 0),
    status text not null check (status in ('', 'paid', 'expired')),
    created_at bigint not null,
    hold_until bigint not null,
    version bigint not null default 1,
    -- The provider may have refunded what a pending refund has reserved here, so this can exceed the total until that is refused.
    refunded bigint not null default 0 constraint purchase_refunded check (refunded >= 0),
    charged_back bigint not null default 0 check (charged_back >= 0),
    unassigned bigint not null default 0 constraint purchase_unassigned check (unassigned between 0 and refunded),
    paid_at bigint,
    transaction_id text,
    account_deleted_at bigint,
    -- A purchase is paid if and only if it has a transaction id.
    constraint purchase_paid check ((status = 'paid') = (transaction_id is not null))
  )`,
  `create index purchase_user on purchase (user_id, id)`,
  `create index purchase_hold on purchase (hold_until) where status = ''`,
  `create index purchase_sold on purchase (paid_at, id) where paid_at is not null`,
  `create unique index purchase_transaction on purchase ((transaction_id${byteOrder})) where transaction_id is not null`,
  // Paid purchases of deleted accounts that still have a name or an address.
  `create index purchase_kept on purchase (id) where account_deleted_at is not null and (name <> '' or address <> '')`,
  `create table order_line (
    id text primary key,
    purchase_id text not null,
    -- Copied from the purchase.
    user_id text,
    -- No foreign key: an order outlives its product.
    product_id text not null,
    product_name text not null,
    quantity bigint not null check (quantity > 0),
    total bigint not null check (total > 0),
    status text not null check (status in ('', 'paid', 'sipping', 'expired')),
    created_at bigint not null,
    refunded bigint not null default 0 constraint order_line_refunded check (refunded between 0 and total),
    refund_pending bigint not null default 0 constraint order_line_refund_pending check (refund_pending between 0 and refunded),
    owed bigint not null default 0 constraint order_line_owed check (owed between 0 and total),
    refunded_quantity bigint not null default 0
      constraint order_line_refunded_quantity check (refunded_quantity between 0 and quantity),
    removed bigint not null default 0 constraint order_line_removed check (removed between 0 and quantity - shipped),
    returned bigint not null default 0 constraint order_line_returned check (returned between 0 and removed + shipped),
    still_send bigint not null default 0,
    -- Copied from the purchase: whether it has a charged-back amount.
    is_charged_back bigint not null default 0,
    shipped bigint not null default 0 constraint order_line_shipped check (shipped between 0 and quantity),
    -- Of its last parcel, like the three columns that follow.
    shipped_at bigint,
    carrier text,
    tracking_number text,
    tracking_url text
  )`,
  `create index order_line_user on order_line (user_id, id)`,
  `create index order_line_purchase on order_line (purchase_id, id)`,
  // The stock of a product that unpaid orders hold.
  `create index order_line_held on order_line (product_id) where status = ''`,
  // The following indexes leave out unpaid orders, so placing an order writes to none of them.
  `create index order_line_status on order_line (status, id) where status <> ''`,
  `create index order_line_status_price on order_line (status, total, id) where status <> ''`,
  `create index order_line_product on order_line (product_id, id, status, total) where status <> ''`,
  `create index order_line_refunded on order_line (id) where refunded > 0`,
  `create index order_line_refunded_price on order_line (total, id) where refunded > 0`,
  `create index order_line_owed on order_line (id) where owed > 0`,
  `create index order_line_to_ship on order_line (id) where ${toShip}`,
  `create index order_line_to_ship_price on order_line (total, id) where ${toShip}`,
  // A parcel. The actor has no foreign key: a parcel outlives the account of the admin who shipped it.
  `create table shipment (
    id text primary key,
    -- The customer's, as printed on the label.
    name text not null,
    address text not null,
    carrier text,
    tracking_number text,
    tracking_url text,
    actor_id text not null,
    actor text not null,
    created_at bigint not null
  )`,
  `create index shipment_tracking on shipment ((lower(tracking_number${byteOrder}))) where tracking_number is not null`,
  `create table shipment_line (
    shipment_id text not null references shipment (id) on delete cascade,
    order_line_id text not null,
    quantity bigint not null check (quantity > 0),
    primary key (shipment_id, order_line_id)
  ) ${clustered}`,
  `create index shipment_line_order on shipment_line (order_line_id)`,
  `create table order_note (
    id text primary key,
    purchase_id text not null references purchase (id) on delete cascade,
    text text not null check (text <> ''),
    actor_id text not null,
    actor text not null,
    created_at bigint not null
  )`,
  `create index order_note_purchase on order_note (purchase_id, id)`,
  // When a purchase's name, address or phone was corrected. The previous values are not kept.
  `create table delivery_change (
    id text primary key,
    purchase_id text not null references purchase (id) on delete cascade,
    actor_id text,
    actor text not null,
    created_at bigint not null
  )`,
  `create index delivery_change_purchase on delivery_change (purchase_id, id)`,
  // No foreign key: a payment outlives its purchase.
  `create table payment (
    id text primary key,
    purchase_id text not null,
    attempt bigint not null,
    amount bigint not null,
    currency text not null,
    intent text unique,
    account text,
    state text not null check (state in ('open', 'paid', 'cancelled', 'undecided', 'refund_due', 'refunded')),
    created_at bigint not null,
    constraint payment_attempt unique (purchase_id, attempt)
  )`,
  // A purchase has at most one open and one paid payment.
  `create unique index payment_one_open on payment (purchase_id) where state = 'open'`,
  `create unique index payment_one_paid on payment (purchase_id) where state = 'paid'`,
  `create index payment_unfinished on payment (id) where state in ('open', 'refund_due')`,
  // This index is nearly always empty, whereas `payment_unfinished` may have thousands of rows.
  `create index payment_refund_due on payment (id) where state = 'refund_due'`,
  // This index is nearly always empty.
  `create index payment_undecided on payment (purchase_id) where state = 'undecided'`,
  `create table unknown_payment (
    intent text primary key,
    amount bigint not null,
    currency text not null,
    -- The purchase's id and number, as the provider's metadata has them.
    purchase_id text not null,
    number text not null,
    outcome text not null check (outcome in ('', 'paid', 'refunded', 'dismissed')),
    seen_at bigint not null
  )`,
  `create index unknown_payment_waiting on unknown_payment (intent) where outcome = ''`,
  // Like a parcel, a refund has no foreign key for the actor.
  `create table refund (
    id text primary key,
    payment_id text not null,
    purchase_id text not null,
    amount bigint not null check (amount > 0),
    currency text not null,
    reason text not null,
    note text not null,
    status text not null check (status in ('pending', 'succeeded', 'failed', 'canceled')),
    failure text not null,
    provider_id text,
    actor_id text,
    actor text not null,
    -- A failed refund whose amount this one pays.
    replaces text,
    -- Whether it says that the pieces which are left are sent.
    still_send bigint not null default 0,
    settled_at bigint,
    settled_by_id text,
    settled_by text not null default '',
    outcome text check (outcome in ('refunded', 'repaid', 'nothing_owed')),
    created_at bigint not null,
    updated_at bigint not null,
    constraint refund_settled check ((settled_at is null) = (outcome is null))
  )`,
  `create unique index refund_replaces on refund (replaces) where replaces is not null and status in ('pending', 'succeeded')`,
  `create unique index refund_provider on refund (provider_id) where provider_id is not null`,
  `create index refund_payment on refund (payment_id)`,
  `create index refund_purchase on refund (purchase_id)`,
  // Leaves out automatic refunds, which belong to payments and count in no sum.
  `create index refund_status on refund (status, id) where reason <> 'automatic'`,
  // Refunds that the provider made although an admin had recorded them as repaid another way. Nearly always empty.
  `create index refund_paid_twice on refund (id) where outcome = 'repaid' and status in ('pending', 'succeeded')`,
  `create index refund_time on refund (created_at, status, outcome, currency, amount) where reason <> 'automatic'`,
  // The part of a refund that is for one order. A refund made at the provider has no parts until it is assigned. An automatic
  // refund never has any.
  `create table refund_line (
    id text primary key,
    refund_id text not null references refund (id) on delete cascade,
    order_line_id text not null,
    amount bigint not null check (amount > 0),
    quantity bigint,
    restock bigint not null check (restock >= 0),
    removed bigint not null check (removed >= 0),
    constraint refund_line_once unique (refund_id, order_line_id)
  )`,
  `create index refund_line_order on refund_line (order_line_id)`,
  `create table dispute (
    id text primary key,
    purchase_id text not null,
    intent text not null,
    amount bigint not null,
    currency text not null,
    reason text not null,
    status text not null,
    is_open bigint not null,
    respond_by bigint,
    -- When the shop learned the decision.
    decided_at bigint,
    created_at bigint not null
  )`,
  `create index dispute_purchase on dispute (purchase_id)`,
  `create index dispute_open on dispute (id) where is_open = 1`,
  `create index dispute_lost on dispute (decided_at, id) where status = 'lost'`,
];
