import { setImmediate } from 'node:timers/promises';
import { foldLine } from '../../../../contract/text.ts';
import type { Database } from '../../../database/database.ts';

/** Returned instead of an id if several products have the name. */
export const ambiguous = ' ';

type NamedProduct = { id: string; name: string };

/**
 * Reads the names of all products and returns a function that finds a product's id by its name. Files without ids need it, such as
 * a supplier's. The function ignores capitals, spaces, decomposed accents (NFD) and invisible characters, because suppliers write
 * them differently. If the names of several products differ only in these, the function looks for the exact name.
 */
export async function createNameFinder({ db }: Database): Promise<(name: string) => string | undefined> {
  // A catalogue may have a million names, and few of them collide. Full names are kept only for collisions.
  const ids = new Map<string, string>();
  const collisions = new Map<string, NamedProduct[]>();
  for await (const products of readNames(db))
    for (const { id, name } of products) {
      const key = foldLine(name);
      if (ids.has(key)) collisions.set(key, []);
      else ids.set(key, id);
    }
  if (collisions.size > 0)
    for await (const products of readNames(db))
      for (const product of products) collisions.get(foldLine(product.name))?.push(product);

  return (name) => {
    const key = foldLine(name);
    const similar = collisions.get(key);
    if (!similar) return ids.get(key);
    const exact = similar.filter((product) => product.name === name);
    const [match, another] = exact.length > 0 ? exact : similar;
    return another ? ambiguous : match?.id;
  };
}

/** Between batches, other requests are served. */
async function* readNames(db: Database['db']): AsyncGenerator<NamedProduct[]> {
  let rows: NamedProduct[] = [];
  do {
    rows = await db
      .selectFrom('product')
      .select(['id', 'name'])
      .where('id', '>', rows.at(-1)?.id ?? '')
      .orderBy('id')
      .limit(2000)
      .execute();
    yield rows;
    await setImmediate();
  } while (rows.length === 2000);
}
