import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/** An index for finding shipped orders by the start of their tracking number, in byte order on both engines. */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const number = engine === 'postgres' ? 'lower(tracking_number collate "C")' : 'lower(tracking_number)';
  await sql`create index if not exists orders_tracking on orders ((${sql.raw(number)}))
    where tracking_number is not null`.execute(db);
}
