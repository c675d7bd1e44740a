import { z } from 'zod';
import { trouble } from '../../../contract/admin/health.ts';
import { formatCappedCount, formatQuantity } from '../../../contract/admin/health-format.ts';
import type { LetterBlock } from '../../../contract/mail.ts';
import { healthPage, manageProductsPage, orderPages, reviewsPage } from '../../../contract/page-addresses.ts';
import { isPaid } from '../orders/orders.ts';
import type { PurchaseOrders } from '../orders/purchases.ts';
import type { NewReviews } from '../reviews/list.ts';
import type { Shop } from '../shop.ts';
import type { MailedDelivery } from './delivery.ts';
import { formatTotal, type LetterText, listOrders, listProducts, separateDots } from './letters.ts';

/* Messages to the admins. */

const adminReason = 'You’re receiving this email because you’re an admin of the shop.';

export function writeNewOrder(
  shop: Shop,
  orders: PurchaseOrders,
  delivery: MailedDelivery,
): LetterText | undefined {
  const [{ number, name, email, address, phone, purchase_id }] = orders;
  if (!isPaid(orders[0])) return undefined;
  return {
    subject: `New order ${number}: ${formatTotal(shop, orders)}`,
    preview: listProducts(orders),
    heading: 'New order to ship',
    blocks: [
      listOrders(shop, orders, delivery),
      {
        block: 'facts',
        facts: [
          { label: 'Order', value: number },
          { label: 'Customer', value: `${separateDots(name)}\n${email}` },
          ...(address ? [{ label: 'Deliver to', value: separateDots(address) }] : []),
          ...(phone ? [{ label: 'Phone', value: separateDots(phone) }] : []),
          ...(delivery.remark ? [{ label: 'Remark', value: separateDots(delivery.remark) }] : []),
        ],
      },
      {
        block: 'button',
        label: 'Open the order',
        url: `${shop.config.origins[0]}${orderPages}/${encodeURIComponent(purchase_id)}`,
      },
    ],
    reason: adminReason,
  };
}

/** `products` are the products of the message whose stock is still low. */
export function writeLowStock(
  shop: Shop,
  products: readonly { name: string; available: number; low_stock: number | null }[],
): LetterText | undefined {
  const [first, ...others] = products;
  if (!first) return undefined;
  const more = others.length > 0 ? ` and ${formatQuantity(others.length, 'other product')}` : '';
  return {
    subject: `Low stock: ${first.name}${more}`,
    preview: products.map(({ name, available }) => `${name}: ${available}`).join(', '),
    heading: 'Low stock',
    blocks: [
      {
        block: 'paragraph',
        text: `${products.length > 1 ? 'The stock of these products has' : 'The stock of this product has'} fallen below the threshold that you set. Unpaid orders hold their pieces until they are paid or their hold ends.`,
      },
      {
        block: 'lines',
        lines: products.map(({ name, available, low_stock }) => ({
          text: name,
          note: `Threshold: ${low_stock}`,
          amount: `${available} left`,
        })),
        totals: [],
      },
      {
        block: 'button',
        label: 'Show all products with low stock',
        url: `${shop.config.origins[0]}${manageProductsPage}?low&sort=stock`,
      },
    ],
    reason: adminReason,
  };
}

/** `rows` are the first of the hour's reviews that still wait for approval, `pending` is the count of all that wait. */
export function writeNewReviews(shop: Shop, { rows, count, pending }: NewReviews): LetterText | undefined {
  if (pending === 0) return undefined;
  const waiting = `${formatCappedCount(pending, 'review')} to approve`;
  return {
    subject: waiting,
    preview: rows.map(({ name, rating, text }) => separateDots(`${name}, ${rating}/5: ${text}`)).join(' · '),
    heading: waiting,
    blocks: [
      ...rows.flatMap(({ name, rating, text, product_name }): LetterBlock[] => [
        {
          block: 'paragraph',
          text: `${separateDots(name)} rated ${separateDots(product_name ?? 'the shop')} ${rating} out of 5:`,
        },
        { block: 'quote', text: separateDots(text) },
      ]),
      ...(count > rows.length
        ? [
            {
              block: 'paragraph' as const,
              text: `And ${formatQuantity(count - rows.length, 'more review')}.`,
            },
          ]
        : []),
      {
        block: 'button',
        label: 'Open the reviews',
        url: `${shop.config.origins[0]}${reviewsPage}?pending`,
      },
    ],
    reason: adminReason,
  };
}

/** `about` contains the problems as JSON, as they were when found. */
export function writeHealthProblem(shop: Shop, about: string): LetterText | undefined {
  const troubles = z.array(trouble).parse(JSON.parse(about));
  const [first, ...others] = troubles;
  if (!first) return undefined;
  return {
    subject: others.length > 0 ? `${troubles.length} problems in the shop` : 'A problem in the shop',
    preview: first.what,
    heading: others.length > 0 ? `${troubles.length} problems` : 'A problem',
    blocks: [
      ...troubles.map(({ what, advice }) => ({
        block: 'paragraph' as const,
        text: `${what}\n${advice}`,
        hasCommands: true,
      })),
      { block: 'button', label: 'Open the Health page', url: `${shop.config.origins[0]}${healthPage}` },
    ],
    reason: adminReason,
  };
}
