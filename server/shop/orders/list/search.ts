import { type RawBuilder, sql } from 'kysely';
import { parseNumberPrefix } from '../../../../contract/orders/purchase-number.ts';
import { listTrackingNumbers } from '../../../../contract/orders/scanned-codes.ts';
import type { Database } from '../../../database/database.ts';
import { isIn } from '../../../database/is-in.ts';
import { startsWith } from '../../../database/prefixes.ts';
import type { Db, Engine } from '../../../database/schema.ts';
import { toPhoneKey } from '../../../database/search-text.ts';
import { matchWords, splitWords } from '../../../database/word-match.ts';
import { matchUser } from '../../users/find-users.ts';
import { lowerTrackingNumber } from '../tracking.ts';

/** The columns of `order_line` that a search looks up, each with an index. `id` is for orders found by tracking number. */
export const searchedColumns = ['user_id', 'product_id', 'purchase_id', 'id'] as const;
type Column = (typeof searchedColumns)[number];

export type Matches = {
  /** The values of each column that match. */
  values: Record<Column, string[]>;
  /** How many values of a column were looked up. */
  maxValues: number;
  /** Set if some `values` are incomplete because more rows match: the condition that a row of `order_line` matches. */
  condition?: RawBuilder<boolean>;
};

/**
 * Finds the customers, products and purchases that match a search, instead of searching the words of each order. Reads at most
 * `maxValues` + 1 of each.
 */
export async function findMatches(
  { db, engine }: Database,
  text: string,
  maxValues: number,
): Promise<Matches> {
  const limit = maxValues + 1;
  const lookups = listLookups(engine, text, limit);
  const wordCounts = listContactWords(text).map((word) => countPurchases(word, limit));
  const found = await readFound(db, [...lookups.map((lookup) => selectFound(lookup, limit)), ...wordCounts]);
  const tooMany = new Set<Column>();
  const rarest = findRarest(found);
  if (rarest) {
    const contact = matchContact(text, rarest.value);
    lookups.push(contact);
    // The count of the word already shows whether there are too many purchases to read.
    if (rarest.count > maxValues) tooMany.add(contact.column);
    else found.push(...(await readFound(db, [selectFound(contact, limit)])));
  }
  const values: Matches['values'] = { user_id: [], product_id: [], purchase_id: [], id: [] };
  for (const { name, value } of found) if (name !== 'word' && value !== null) values[name].push(value);
  for (const column of searchedColumns) {
    if (values[column].length > maxValues) tooMany.add(column);
    values[column] = [...new Set(values[column])];
  }
  if (tooMany.size === 0) return { values, maxValues };
  const conditions = lookups.map(({ column, exists }) =>
    tooMany.has(column) ? exists : isIn(engine, sql.ref(`order_line.${column}`), values[column]),
  );
  return { values, maxValues, condition: sql`(${sql.join(conditions, sql` or `)})` };
}

/** A value of a column, or a word of the search and how many paid purchases have it. */
type Found = { name: Column; value: string | null } | { name: 'word'; value: string; count: number };

async function readFound(db: Db, selects: RawBuilder<unknown>[]): Promise<Found[]> {
  return (await sql<Found>`${sql.join(selects, sql` union all `)}`.execute(db)).rows;
}

const selectFound = ({ column, select }: Lookup, limit: number) =>
  sql`select ${sql.lit(column)} as name, value, 0 as count from (${select} limit ${limit}) as found`;

type Lookup = {
  column: Column;
  /** Selects the matching values of the column as `value`, which is null for a candidate that does not match. */
  select: RawBuilder<unknown>;
  /** Whether a row of `order_line` matches. A scalar subquery: PostgreSQL would first evaluate an `exists` for all rows. */
  exists: RawBuilder<boolean>;
};

/** Every lookup except `matchContact`. */
function listLookups(engine: Engine, text: string, limit: number): Lookup[] {
  const users = matchUser(engine, text);
  const products = matchWords('product', text);
  const range = parseNumberPrefix(text);
  const isNumber = range && sql`number between ${range.first} and ${range.last}`;
  const transaction = isTransactionId(text) && matchTransactionId(engine, text);
  const tracking = matchTracking(engine, text);
  const phone = matchPhone(text);
  const lookups: (Lookup | false | undefined)[] = [
    {
      column: 'user_id',
      select: sql`select id as value from (${users.ids}) as users`,
      exists: users.hasId(sql`order_line.user_id`),
    },
    products && {
      column: 'product_id',
      select: sql`select id as value from (${products.ids}) as named`,
      exists: products.hasId(sql`order_line.product_id`),
    },
    isNumber && {
      column: 'purchase_id',
      select: sql`select id as value from purchase where ${isNumber}`,
      exists: sql`(select 1 from purchase where id = order_line.purchase_id and ${isNumber}) = 1`,
    },
    transaction && {
      column: 'purchase_id',
      select: sql`select id as value from purchase where transaction_id is not null and ${transaction}`,
      exists: sql`(select 1 from purchase where id = order_line.purchase_id and ${transaction}) = 1`,
    },
    phone && {
      column: 'purchase_id',
      select: sql`select id as value from purchase where number in (${phone})`,
      exists: sql`order_line.purchase_id in (select id from purchase where number in (${phone}))`,
    },
    tracking && {
      column: 'id',
      // Each parcel has at least one line, so `limit` parcels have enough lines. Without a limit, PostgreSQL would expect thousands
      // of parcels and start parallel workers, even if there are none.
      select: sql`select order_line_id as value from (select id from shipment where ${tracking.range} limit ${limit}) as parcel
        join shipment_line on shipment_id = parcel.id`,
      exists: tracking.condition,
    },
  ];
  return lookups.filter((lookup) => typeof lookup === 'object');
}

/**
 * How many of a phone number's last digits identify it. The digits before them may be written in several ways: +48 22, 0048 22,
 * 022.
 */
const maxPhoneDigits = 7;

/** Selects the numbers of the paid purchases whose phone number ends like `text`. */
function matchPhone(text: string): RawBuilder<unknown> | undefined {
  const key = /^[\p{Nd}\s()+./\p{Pd}]+$/u.test(text) && toPhoneKey(text).slice(0, 1 + maxPhoneDigits);
  return key ? sql`select number from purchase_word where ${startsWith(sql.ref('word'), key)}` : undefined;
}

/** The words of a search that `purchase_word` may contain. It contains no words of one character. */
const listContactWords = (text: string): string[] =>
  isTransactionId(text) ? [] : splitWords(text).filter((word) => [...word].length >= 2);

/** Counts the paid purchases with a word by its index, up to the limit. */
const countPurchases = (word: string, limit: number) =>
  sql`select 'word' as name, cast(${word} as text) as value, count(*) as count from (
    select 1 from purchase_word where ${startsWith(sql.ref('word'), word)} limit ${limit}) as counted`;

/**
 * The word of the search that the fewest paid purchases contain. Undefined if some word is in no purchase: then no purchase
 * matches.
 */
function findRarest(found: Found[]) {
  const words = found.filter((each) => each.name === 'word');
  const [rarest] = words.toSorted((one, other) => one.count - other.count);
  return rarest?.count ? rarest : undefined;
}

/**
 * Matches paid purchases by words of the name and address that the customer had at the time, in any order. Looks up the rarest
 * word in `purchase_word`, and checks these purchases for the other words.
 */
function matchContact(text: string, rarest: string): Lookup {
  const toCondition = (word: string) =>
    sql`index_text(purchase.name || ' ' || purchase.address) like ${`% ${word}%`}`;
  const words = splitWords(text);
  const others = words.filter((word) => word !== rarest);
  const and = sql` and `;
  const hasOthers = sql.join([sql`status = 'paid'`, ...others.map(toCondition)], and);
  return {
    column: 'purchase_id',
    // A subquery instead of a join: for a join, PostgreSQL might read all purchases.
    select: sql`select (select id from purchase where number = purchase_word.number and ${hasOthers}) as value
      from purchase_word where ${startsWith(sql.ref('word'), rarest)}`,
    exists: sql`(select count(*) from purchase
      where id = order_line.purchase_id and purchase.status = 'paid' and ${sql.join(words.map(toCondition), and)}) = 1`,
  };
}

/** Whether a search is the start of a transaction id, such as `pi_3Q`. */
const isTransactionId = (text: string): boolean => /^[a-z]+_\w/.test(text);

/** Compares in byte order, like the index. Transaction ids are case-sensitive. */
function matchTransactionId(engine: Engine, prefix: string): RawBuilder<boolean> {
  const id = engine === 'postgres' ? sql`transaction_id collate "C"` : sql`transaction_id`;
  return startsWith(id, prefix);
}

/** Matches the start of a tracking number: at least four characters with a digit, which names don't contain. */
const trackingPrefix = /^(?=.*\d)[a-z\d][a-z\d./-]{3,59}$/i;

/**
 * Matches orders by the start of a parcel's tracking number, or by a scanned barcode that contains the number. Numbers are stored
 * without spaces. `range` is a range of the index `shipment_tracking`. `condition` is a scalar subquery, which keeps PostgreSQL on
 * the index of the list.
 */
function matchTracking(engine: Engine, text: string) {
  const prefixes = listTrackingNumbers(text).filter((number) => trackingPrefix.test(number));
  if (prefixes.length === 0) return undefined;
  const number = lowerTrackingNumber(engine, 'shipment.tracking_number');
  return {
    range: sql`shipment.tracking_number is not null and ${anyOf(prefixes.map((prefix) => startsWith(number, prefix.toLowerCase())))}`,
    condition: sql<boolean>`(select 1 from shipment_line join shipment on shipment.id = shipment_id
      where order_line_id = order_line.id and ${anyOf(
        prefixes.map((prefix) => sql`substr(${number}, 1, ${prefix.length}) = ${prefix.toLowerCase()}`),
      )} limit 1) = 1`,
  };
}

const anyOf = (conditions: RawBuilder<unknown>[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`;
