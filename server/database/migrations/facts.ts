import type { Db } from '../schema.ts';

/** Adds the facts of a product. Null, also for products that an earlier release adds, means that it has none. */
export const facts = {
  name: '002-facts',
  async up(db: Db): Promise<void> {
    await db.schema.alterTable('product').addColumn('facts', 'text').execute();
  },
};
