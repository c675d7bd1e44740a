import { createIndexes } from '../index-migration.ts';

/**
 * The index of products that are sold out or below their threshold. The previous release merges two indexes instead. This
 * release does not read one of those, `product_low` (migration 016), so the next release can drop it.
 *
 * The condition has no `or`: from `a or b`, SQLite would infer that this index has every row with `a`, and would read it for the
 * sold-out products, too.
 */
export const { prepare, up } = createIndexes(() => [
  'product_low_stock on product (available, id) where archived_at is null and available < case when low_stock > minimum then low_stock else minimum end',
]);
