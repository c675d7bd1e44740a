import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/**
 * Adds delivery: where and how a purchase is sent, and what that costs. Addresses are JSON (`PostalAddress`). Everything is empty until an admin sets up delivery.
 */
export const delivery = {
  name: '003-delivery',
  async up(db: Db): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const statements = [
  `alter table product add column weight bigint`,
  `alter table product add column not_to text`,
  `alter table product add column hs_code text`,
  `alter table product add column origin text`,
  `alter table product add column shelf text`,
  // The products that a warning about rates by weight counts.
  `create index product_weightless on product (weight, id) where archived_at is null and weight is null`,
  `alter table purchase add column ship_to text`,
  `alter table purchase add column bill_to text`,
  `alter table purchase add column rate text`,
  `alter table purchase add column remark text`,
  // 1 once saving the checkout has renewed the hold.
  `alter table purchase add column hold_renewed bigint not null default 0`,
  // Where and when the customer collects it, if the chosen rate sends nothing.
  `alter table purchase add column pickup text`,
  // The working days that the chosen rate takes, and, once it is paid, dates such as 2026-12-24: the promised arrival, and the last
  // day on which sending the purchase keeps the promise.
  `alter table purchase add column days_min bigint`,
  `alter table purchase add column days_max bigint`,
  `alter table purchase add column arrives_from text`,
  `alter table purchase add column arrives_to text`,
  `alter table purchase add column send_by text`,
  `create table charge (
    id text primary key,
    purchase_id text not null references purchase (id) on delete cascade,
    kind text not null,
    label text not null,
    amount bigint not null check (amount >= 0),
    refunded bigint not null default 0 constraint charge_refunded check (refunded between 0 and amount),
    refund_pending bigint not null default 0
      constraint charge_refund_pending check (refund_pending between 0 and refunded),
    owed bigint not null default 0 constraint charge_owed check (owed between 0 and amount)
  )`,
  `create index charge_purchase on charge (purchase_id)`,
  `create table refund_charge (
    refund_id text not null references refund (id) on delete cascade,
    charge_id text not null references charge (id) on delete cascade,
    amount bigint not null check (amount > 0),
    primary key (refund_id, charge_id)
  )`,
  `create index refund_charge_charge on refund_charge (charge_id)`,
];
