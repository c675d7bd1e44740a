import { sql } from 'kysely';

/**
 * In an update of `purchase`: what is paid for it, in minor units. This is the only place that adds up a purchase; everything else
 * reads `purchase.total`.
 */
export const sumPurchase = sql<number>`
  (select sum(order_line.total) from order_line where order_line.purchase_id = purchase.id)
  + coalesce((select sum(charge.amount) from charge where charge.purchase_id = purchase.id), 0)`;

/** In an update of `purchase`: no rate is chosen. */
export const noRate = { rate: null, pickup: null, days_min: null, days_max: null };
