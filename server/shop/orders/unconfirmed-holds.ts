import { sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { Line } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';

/* Anyone can sign up with any address, so accounts whose address is not confirmed hold less stock, and for a shorter time. */

/**
 * Computes when the hold of an order that is placed now ends. The time does not change if the customer confirms the address in the
 * meantime: the customer can still pay, or order again.
 */
export function computeHoldEnd({ config }: Shop, { emailVerified }: SessionUser): number {
  const hours = emailVerified ? config.stockHoldHours : config.unconfirmedHoldHours;
  return Date.now() + hours * 60 * 60 * 1000;
}

type Held = {
  id: string;
  name: string;
  minimum: number;
  /** The stock after the pieces of the new lines have been taken. */
  available: number;
  held: number;
  held_unconfirmed: number;
};

/**
 * Throws 409 if the new lines of a customer with an unconfirmed address make all such customers together hold more than their
 * share of a product (`data.available` is the remainder). Call it after the statement that takes the stock and before the lines are
 * inserted: the products are locked by then, so no two requests are checked against the same remainder.
 */
export async function checkUnconfirmedHolds(
  { config }: Shop,
  tx: Tx,
  { emailVerified }: SessionUser,
  lines: readonly Line[],
): Promise<void> {
  const percent = config.unconfirmedStockPercent;
  if (emailVerified || percent === 100) return;
  const ids = lines.map(({ productId }) => productId);
  const { rows } = await sql<Held>`
    select product.id, product.name, product.minimum, product.available,
      cast(coalesce(sum(order_line.quantity), 0) as bigint) as held,
      cast(coalesce(sum(case when customer."emailVerified" then 0 else order_line.quantity end), 0) as bigint) as held_unconfirmed
    from product
      left join order_line on order_line.product_id = product.id and order_line.status = ''
      left join "user" as customer on customer.id = order_line.user_id
    where product.id in (${sql.join(ids)})
    group by product.id, product.name, product.minimum, product.available`.execute(tx);
  for (const { productId, quantity } of lines) {
    const product = rows.find(({ id }) => id === productId);
    if (!product) continue;
    const unsold = product.available + quantity + product.held;
    const share = Math.max(product.minimum, Math.ceil((unsold * percent) / 100));
    const remaining = Math.max(0, share - product.held_unconfirmed);
    if (quantity > remaining) throw explainShare(product, remaining);
  }
}

function explainShare({ id, name, minimum }: Held, remaining: number): ShopError {
  const detail =
    remaining < minimum
      ? `Customers who have not confirmed their email address have already reserved all of ${name} that they can. Confirm yours on your account page, then order it.`
      : `Until your email address is confirmed, you can order at most ${remaining} of ${name}. Order fewer, or confirm your address on your account page.`;
  return new ShopError('address_unconfirmed', detail, { data: { orderId: id, available: remaining } });
}
