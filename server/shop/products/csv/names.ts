import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../../database/database.ts';

/** Takes the place of the id for a name that several products have. */
export const ambiguous = ' ';

/** Suppliers write names with other capitals and spaces. */
export const foldName = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase();

type NamedProduct = { id: string; name: string };

/**
 * Reads all names, and returns a function that finds the id of a product by its name, for a file that names no ids, such as
 * a supplier's. If names differ only in capitals and spaces, the exact name finds its product.
 */
export async function createNameFinder({ db }: Database): Promise<(name: string) => string | undefined> {
  const products = new Map<string, NamedProduct[]>();
  let rows: NamedProduct[] = [];
  do {
    rows = await db
      .selectFrom('product')
      .select(['id', 'name'])
      .where('id', '>', rows.at(-1)?.id ?? '')
      .orderBy('id')
      .limit(2000)
      .execute();
    for (const row of rows) {
      const key = foldName(row.name);
      const same = products.get(key);
      if (same) same.push(row);
      else products.set(key, [row]);
    }
    await setImmediate();
  } while (rows.length === 2000);

  return (name) => {
    const similar = products.get(foldName(name)) ?? [];
    const exact = similar.filter((product) => product.name === name);
    const [match, another] = exact.length > 0 ? exact : similar;
    return another ? ambiguous : match?.id;
  };
}
