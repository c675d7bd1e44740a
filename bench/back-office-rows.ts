import { dayMs } from '../contract/durations.ts';
import type { Engine } from '../server/database/schema.ts';

export type BackOfficeSize = { orders: number; people: number; products: number };

/** The start of a word in the names of ten customers, in a shop of any size. */
export const customerNamePrefix = 's00003gra';
/** The start of a word in the names of ten products, in a shop of any size. */
export const productNamePrefix = 't00003gau';
/**
 * Words in the names of the last 250 products (`few`) and of the last quarter (`quarter`). By price, stock and time, products have
 * the same order.
 */
export const wordInLastProducts = { few: 'onyx', quarter: 'steel' };
/** Words in the names of the first 250 products (`few`) and of the first quarter (`quarter`). */
export const wordInFirstProducts = { few: 'opal', quarter: 'alloy' };
/** The category of every other product. */
export const commonCategory = 'Gauges';
/** The product of one order in ten. */
export const bestSeller = 'Bestselling';

const twoYearsMs = 2 * 366 * dayMs;
/** The orders were placed in the last two years, so that the overview's last 30 days have their share. */
const firstMs = Date.now() - twoYearsMs;

/** The date so many days ago, in UTC. */
export const daysAgo = (days: number): string =>
  new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
/** A day in the middle of the two years. */
export const middleDay = daysAgo(366);

/**
 * Statements that fill an empty shop, one per table. Each customer has ten orders. The best seller has a tenth of all orders.
 * Nine in ten of the other products have `orders / products` orders each, and the rest have none. A fifth of the products are
 * sold out, a fifth low on stock and a fifth archived. The newest 60 orders are unpaid, and the next 100 wait to be shipped. Of
 * every thousand orders, 60 are refunded in part, 20 are refunded in full and never shipped, and 60 have expired.
 */
export function buildBackOfficeInserts(engine: Engine, size: BackOfficeSize): string[] {
  const hex = (number: string, width: number) =>
    engine === 'sqlite' ? `printf('%0${width}x', ${number})` : `lpad(to_hex(${number}), ${width}, '0')`;
  const date = `cast('2024-01-01T00:00:00.000Z' as ${engine === 'sqlite' ? 'text' : 'timestamptz'})`;
  const ms = `(${firstMs} + n * ${Math.floor(twoYearsMs / size.orders)})`;
  const key = `substr(${hex(ms, 12)}, 1, 8) || '-' || substr(${hex(ms, 12)}, 9) || '-7000-8000-' || ${hex('n', 12)}`;
  // Multiplying by an odd number visits each number below 2^32 once, in a scattered order.
  const number = `upper(${hex('(n * 2654435761) % 4294967296', 8)})`;
  const productId = (n: string) => `'product-' || ${hex(n, 5)}`;
  const product = `case when n % 10 = 0 then 0 else n % ${size.products} end`;
  const isUnpaid = `n > ${size.orders - 60}`;
  const isExpired = 'n % 1000 between 1 and 60';
  const isRefunded = 'n % 1000 between 101 and 160';
  const isFullyRefunded = 'n % 1000 between 161 and 180';
  const total = '100 + (n * 7919) % 90001';
  const status = `case when ${isUnpaid} then '' when n > ${size.orders - 160} then 'paid' when ${isExpired} then 'expired' when ${isFullyRefunded} then 'paid' else 'sipping' end`;
  const rareWord = `case when n < 250 then ' ${wordInFirstProducts.few}' when n >= ${size.products - 250} then ' ${wordInLastProducts.few}' else '' end`;
  const insert = (table: string, columns: string, count: number, values: string) =>
    `insert into ${table} (${columns})
     with recursive numbers(n) as (select cast(0 as bigint) union all select n + 1 from numbers where n < ${count - 1})
     select ${values} from numbers`;
  const person = (n: string) => `'person-' || ${n} || '@example.com'`;
  const userName = (n: string) => `'Tom s' || ${hex(`${n} / 10`, 5)} || 'graham'`;
  return [
    insert(
      '"user"',
      'id, name, email, "emailVerified", "createdAt", "updatedAt"',
      size.people,
      `'user-' || n, ${userName('n')}, ${person('n')}, ${engine === 'sqlite' ? '0' : 'false'}, ${date}, ${date}`,
    ),
    insert(
      'product',
      'id, name, price, image, description, minimum, available, low_stock, category, archived_at, created_at',
      size.products,
      `${productId('n')}, case when n = 0 then '${bestSeller} brass hammer'
         when n < ${size.products / 4} then 'Alloy and brass t' || ${hex('n / 10', 5)} || 'gauge'
         when n < ${(size.products / 4) * 3} then 'Brass t' || ${hex('n / 10', 5)} || 'gauge'
         else 'Steel and brass t' || ${hex('n / 10', 5)} || 'gauge' end || ${rareWord},
       1000 + n, '/images/none', 'For clocks.', 1, case n % 5 when 1 then 0 else 1000 + n end,
       case n % 5 when 2 then 1000000 else 5 end, case n % 2 when 1 then '${commonCategory}' end,
       case n % 5 when 3 then ${firstMs} end, ${firstMs}`,
    ),
    insert(
      'purchase',
      'id, number, user_id, name, phone, address, currency, total, status, created_at, hold_until, paid_at, transaction_id',
      size.orders,
      `${key}, substr(${number}, 1, 4) || '-' || substr(${number}, 5), 'user-' || (n % ${size.people}), 'Tom', '',
       '1 Mill Lane, Coventry', 'USD', ${total}, case when (${status}) = 'sipping' then 'paid' else ${status} end, ${ms},
       4000000000000, case when ${isUnpaid} or ${isExpired} then null else ${ms} end,
       case when (${status}) in ('paid', 'sipping') then 'pi_' || n end`,
    ),
    insert(
      'order_line',
      'id, purchase_id, user_id, product_id, product_name, quantity, total, status, created_at, refunded, shipped, tracking_number',
      size.orders,
      `${key}, ${key}, 'user-' || (n % ${size.people}), ${productId(product)}, 'Brass gauge', 1, ${total}, ${status}, ${ms},
       case when (${status}) = 'sipping' and ${isRefunded} then 50
         when (${status}) = 'paid' and ${isFullyRefunded} then ${total} else 0 end,
       case when (${status}) = 'sipping' then 1 else 0 end,
       case when (${status}) = 'sipping' then '1Z999AA1' || ${number} end`,
    ),
    `insert into shipment (id, name, address, tracking_number, actor_id, actor, created_at)
     select id, 'Tom', '1 Mill Lane, Coventry', tracking_number, 'admin', 'admin@example.com', created_at
     from order_line where status = 'sipping'`,
    `insert into shipment_line (shipment_id, order_line_id, quantity)
     select id, id, 1 from order_line where status = 'sipping'`,
    insert(
      'dispute',
      'id, purchase_id, intent, amount, currency, reason, status, is_open, created_at',
      60,
      `'dp_' || n, (select id from purchase where transaction_id = 'pi_' || (n * 5 + 200)),
       'pi_' || n, 100, 'USD', 'general', 'needs_response', 1, ${firstMs}`,
    ),
  ];
}
