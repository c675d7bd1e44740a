import { z } from 'zod';
import type { LetterBlock } from '../../../contract/mail.ts';
import { productsPage } from '../../../contract/page-addresses.ts';
import type { MailRow } from '../../mail/outbox.ts';
import { listPurchaseOrders } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import { customerReason, describeTool, type LetterText, viewButton } from './letters.ts';

/** The details of an order that `queueOrderDeleted` has saved. */
const deletedOrder = z.object({ product_name: z.string(), quantity: z.int(), image: z.string().nullable() });

/** Reports the unpaid orders that an admin has deleted, of a purchase that may have others left. */
export async function writeOrderDeleted(shop: Shop, { about }: MailRow): Promise<LetterText> {
  const [number = '', ...lines] = about.split('\n');
  const tools = lines.map((line) => describeTool(shop, deletedOrder.parse(JSON.parse(line))));
  const isWhole = (await listPurchaseOrders(shop.database.db, { number })).length === 0;
  const list: LetterBlock = { block: 'lines', lines: tools, totals: [] };
  const shared = { preview: 'You have not been charged.', reason: customerReason };
  if (isWhole)
    return {
      ...shared,
      subject: `We’ve deleted your order ${number}`,
      heading: 'We’ve deleted your order',
      blocks: [
        {
          block: 'paragraph',
          text: `We’ve deleted your order ${number} before it was paid. You have not been charged, and the tools are no longer reserved for you. If you still want them, you can order them again.`,
        },
        list,
        { block: 'button', label: 'See our tools', url: `${shop.config.origins[0]}${productsPage}` },
      ],
    };
  return {
    ...shared,
    subject: `We’ve removed tools from your order ${number}`,
    heading: 'We’ve removed tools from your order',
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve removed these tools from your order ${number} before it was paid. You have not been charged for them, and they are no longer reserved for you. The rest of your order has not changed.`,
      },
      list,
      viewButton(shop, number),
    ],
  };
}
