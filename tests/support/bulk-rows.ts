import type { Engine } from '../../server/database/schema.ts';

export type RowCounts = { products: number; orders: number; reviews: number; people: number };

/** The number of orders that belong to `customer`, regardless of the total. */
export const customerOrderCount = 200;

/**
 * Statements that fill an empty shop: one per table. The engine generates the rows, which takes seconds for a million.
 * Keys are UUIDv7 in ascending order; `rowKey(n)` is the key of row n. About fifty orders are unpaid.
 */
export function buildBulkInserts(engine: Engine, size: RowCounts, customer: string): string[] {
  const hex = (number: string, width: number) =>
    engine === 'sqlite' ? `printf('%0${width}x', ${number})` : `lpad(to_hex(${number}), ${width}, '0')`;
  const time = (n: string) => `${firstRowMs} + ${rowMs} * ${n}`;
  const key = (n: string) =>
    `substr(${hex(time(n), 12)}, 1, 8) || '-' || substr(${hex(time(n), 12)}, 9) || '-7000-8000-' || ${hex(n, 12)}`;
  const text = engine === 'sqlite' ? 'text' : 'timestamptz';
  const flag = engine === 'sqlite' ? '0' : 'false';
  const date = `cast('2026-01-01T00:00:00.000Z' as ${text})`;
  const image = "'/images/none-960.webp'";
  const words = "'Hardened and tempered steel, ground by hand, for the pivots of watches and small clocks. '";
  const person = `'person-' || (n % ${size.people}) || '@example.com'`;
  const personId = key(`(case n % ${size.people} when 0 then ${size.people} else n % ${size.people} end)`);
  const every = Math.floor(size.orders / customerOrderCount);
  const owner = `case n % ${every} when 0 then (select id from "user" where email = '${customer}') else ${personId} end`;
  const orderTotal = '100 + n % 900';
  const unpaid = `n % ${Math.floor(size.orders / 50)} = 1`;
  const rows = (count: number) =>
    `with recursive numbers(n) as (select cast(1 as bigint) union all select n + 1 from numbers where n < ${count})`;
  const insert = (table: string, columns: string, count: number, values: string) =>
    `insert into ${table} (${columns}) ${rows(count)} select ${values} from numbers`;

  return [
    insert(
      '"user"',
      'id, name, email, "emailVerified", "createdAt", "updatedAt"',
      size.people,
      `${key('n')}, 'Person ' || n, ${person}, ${flag}, ${date}, ${date}`,
    ),
    insert(
      'account',
      'id, "accountId", "providerId", "userId", "createdAt", "updatedAt"',
      size.people,
      `${key('n')}, ${key('n')}, 'credential', ${key('n')}, ${date}, ${date}`,
    ),
    insert(
      'product',
      'id, name, price, image, description, minimum, available, user_id, created_at, stock_seq',
      size.products,
      `${key('n')}, 'Tool ' || n, 100 + n % 900, ${image}, ${words} || ${words}, 1, 1000000, ${personId}, ${time('n')}, 1`,
    ),
    `insert into stock_change (id, product_id, seq, change, level, reason, note, actor, created_at)
     select id, id, 1, available, available, 'opening', '', '', created_at from product where name like 'Tool %'`,
    insert(
      'purchase',
      'id, number, user_id, name, phone, address, currency, total, status, created_at, hold_until, paid_at, transaction_id',
      size.orders,
      `${key('n')}, substr(${hex('n', 8)}, 1, 4) || '-' || substr(${hex('n', 8)}, 5), ${owner}, 'Person', '', '', 'USD',
       ${orderTotal}, case when ${unpaid} then '' else 'paid' end, ${time('n')}, 4000000000000,
       case when ${unpaid} then null else ${time('n')} end, case when ${unpaid} then null else 'pi_' || n end`,
    ),
    insert(
      'order_line',
      'id, purchase_id, user_id, product_id, product_name, quantity, total, status, created_at, shipped',
      size.orders,
      `${key('n')}, ${key('n')}, ${owner}, ${key(`(1 + n % ${size.products})`)}, 'Tool ' || n, 1, ${orderTotal},
       case when ${unpaid} then '' when n % 2 = 0 then 'paid' else 'sipping' end, ${time('n')},
       case when not (${unpaid}) and n % 2 = 1 then 1 else 0 end`,
    ),
    insert(
      'payment',
      'id, purchase_id, attempt, amount, currency, intent, state, created_at',
      size.orders,
      `${key('n')}, ${key('n')}, 1, 100 + n % 900, 'USD', 'pi_' || n,
       case when ${unpaid} then 'cancelled' else 'paid' end, ${time('n')}`,
    ),
    insert(
      'review',
      'id, name, user_id, rating, text, image, created_at',
      size.reviews,
      `${key('n')}, 'Person ' || n, ${personId}, 1 + n % 5, ${words}, ${image}, ${time('n')}`,
    ),
  ];
}

/** Rows start on 1 January 2026 and are 20 seconds apart, so a million end in August. */
const [firstRowMs, rowMs] = [1_767_225_600_000, 20_000];

/** The key of row `n`, counted from 1. */
export function rowKey(n: number): string {
  const time = (firstRowMs + n * rowMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
}
