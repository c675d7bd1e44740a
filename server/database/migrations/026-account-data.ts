import { createIndexes } from '../index-migration.ts';

/**
 * Indexes for exporting and deleting what belongs to a user. Placing an order touches none of them. `orders_kept` has the
 * paid orders of deleted accounts that still have a name and an address.
 */
export const { prepare, up } = createIndexes(() => [
  'review_email on review (email, id)',
  'picture_email on picture (email, id)',
  'product_email on product (email, id)',
  'contact_message_email on contact_message (email, id)',
  "mail_sent on mail (recipient, id) where state = 'sent'",
  "orders_kept on orders (id) where email = '' and (user_name <> '' or address <> '')",
]);
