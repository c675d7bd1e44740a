import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';

/** Products per page of the sitemap. The protocol allows 50,000. */
const pageSize = 10_000;
/** Rows per query, so that a page delays no other request. */
const batchSize = 1000;

/**
 * The ids after which the pages of the sitemap start; the first is ''. Each step reads one page of the primary key. A page
 * starts after a key, so its URL stays valid when products are added or deleted.
 */
export async function listSitemapStarts(db: Db): Promise<string[]> {
  const starts: string[] = [];
  for (let start = ''; ; ) {
    const { rows } = await sql<{ last: string | null; found: number }>`
      select max(id) as last, count(*) as found
      from (select id from product where id > ${start} order by id limit ${pageSize}) as page`.execute(db);
    const [{ last = null, found = 0 } = {}] = rows;
    if (last !== null || starts.length === 0) starts.push(start);
    if (last === null || found < pageSize) return starts;
    start = last;
  }
}

/** The ids of one page's products that are on sale, in batches. */
export async function* listSitemapIds(db: Db, start: string): AsyncGenerator<string[]> {
  let after = start;
  for (let read = 0; read < pageSize; read += batchSize) {
    const rows = await db
      .selectFrom('product')
      .select(['id', 'archived_at'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(batchSize)
      .execute();
    yield rows.flatMap(({ id, archived_at }) => (archived_at === null ? id : []));
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return;
    after = last.id;
  }
}
