import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** Health lists the charges of which something is owed because a refund has failed, as it does for orders. */
export const chargesOwed = {
  name: '005-charges-owed',
  async up(db: Db): Promise<void> {
    await sql`create index charge_owed on charge (id) where owed > 0`.execute(db);
  },
};
