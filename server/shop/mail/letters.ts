import type { Letter, LetterBlock, LetterLine } from '../../../contract/mail.ts';
import { invoicesPage, orderPages, paymentPages } from '../../../contract/page-addresses.ts';
import type { PromiseName } from '../../../contract/promises.ts';
import { formatPrice } from '../../config/currency.ts';
import { formatTime } from '../../config/time-zone.ts';
import { formatImagePath, parseImagePath } from '../images/image-paths.ts';
import type { PurchaseOrders } from '../orders/purchases.ts';
import type { OrderRow } from '../orders/queries.ts';
import type { AutomaticRefundRow, Refund } from '../orders/refund-rows.ts';
import type { Subject } from '../orders/subjects.ts';
import { readShopDetails, toPromises } from '../printing/shop-details.ts';
import type { Shop } from '../shop.ts';
import { describeArrival, describeCharges, type MailedDelivery } from './delivery.ts';

/** A message without the shop's details, which all messages share. */
export type LetterText = Omit<Letter, 'shop'>;

export const customerReason = 'You’re receiving this email because you placed an order with us.';

/**
 * Messages about unpaid orders contain nothing that the customer typed, such as a name or an address: anybody can order
 * with somebody else's email address, and must not be able to send text to it.
 */
export async function writeOrderPlaced(
  shop: Shop,
  orders: PurchaseOrders,
  delivery: MailedDelivery,
): Promise<LetterText | undefined> {
  const [{ number, status, hold_until }] = orders;
  if (status !== '') return undefined;
  return {
    subject: `Your order ${number}`,
    preview: `Please pay by ${formatTime(hold_until, shop.config.timeZone)}.`,
    heading: 'Thank you for your order',
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve reserved the tools in your order ${number} for you until ${formatTime(hold_until, shop.config.timeZone)}. We’ll ship them once you’ve paid.`,
      },
      listOrders(shop, orders, delivery),
      payButton(shop, orders),
      viewLink(shop, number),
      ...(await listPromises(shop)),
    ],
    reason: customerReason,
  };
}

export function writeHoldEnding(
  shop: Shop,
  orders: PurchaseOrders,
  delivery: MailedDelivery,
): LetterText | undefined {
  const [{ number, status, hold_until }] = orders;
  if (status !== '') return undefined;
  return {
    subject: `Your order ${number} is waiting for payment`,
    preview: `It’s reserved for you until ${formatTime(hold_until, shop.config.timeZone)}.`,
    heading: 'Your order is waiting for payment',
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve reserved the tools in your order ${number} for you until ${formatTime(hold_until, shop.config.timeZone)}. After that, others can buy them, and you can order them again at the prices of that day. If you no longer want them, you don’t need to do anything.`,
      },
      listOrders(shop, orders, delivery),
      payButton(shop, orders),
      viewLink(shop, number),
    ],
    reason: customerReason,
  };
}

/** The button opens the order's page, which has one to order again: a link must not change the basket. */
export function writeOrderExpired(
  shop: Shop,
  orders: PurchaseOrders,
  delivery: MailedDelivery,
): LetterText | undefined {
  const [{ number, status }] = orders;
  if (status !== 'expired') return undefined;
  return {
    subject: `Your order ${number} was not paid in time`,
    preview: 'Its reservation has ended. You can order again.',
    heading: 'Your reservation has ended',
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve received no payment for your order ${number}, so the tools are no longer reserved for you. If you still want them, open your order and choose Order again: that puts them into your basket at today’s prices.`,
      },
      listOrders(shop, orders, delivery),
      viewButton(shop, number, 'Order again'),
    ],
    reason: customerReason,
  };
}

/** A receipt, with everything that an invoice must contain; the seller's details are at the end of every message. */
export async function writeOrderPaid(
  shop: Shop,
  orders: PurchaseOrders,
  delivery: MailedDelivery,
): Promise<LetterText> {
  const [{ number, paid_at, name, address, phone, transaction_id, pickup }] = orders;
  return {
    subject: `Receipt for your order ${number}`,
    preview: `We’ve received ${formatTotal(shop, orders)}.`,
    heading: 'Thank you for your payment',
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve received ${formatTotal(shop, orders)} for your order ${number}.${pickup === null ? ' We’ll email you again when it’s on its way.' : ''}`,
      },
      listOrders(shop, orders, delivery),
      {
        block: 'facts',
        facts: [
          { label: 'Invoice number', value: number },
          { label: 'Paid', value: formatTime(paid_at ?? Date.now(), shop.config.timeZone) },
          { label: 'Transaction', value: transaction_id ?? '' },
          { label: 'Customer', value: separateDots(name) },
          ...describePlace({ pickup, address }),
          ...describeArrival(delivery),
          ...(delivery.billTo === null
            ? []
            : [{ label: 'Invoice to', value: separateDots(delivery.billTo) }]),
          ...(phone ? [{ label: 'Phone', value: separateDots(phone) }] : []),
        ],
      },
      viewButton(shop, number),
      {
        block: 'link',
        label: 'Print the invoice',
        url: `${shop.config.origins[0]}${invoicesPage}?orders=${number}`,
      },
      ...(await listPromises(shop)),
    ],
    reason: customerReason,
  };
}

/** Where the order goes, or where the customer collects it. */
function describePlace({ pickup, address }: Pick<OrderRow, 'pickup' | 'address'>) {
  if (pickup !== null) return [{ label: 'Collect it', value: pickup }];
  return address ? [{ label: 'Delivery address', value: separateDots(address) }] : [];
}

/** Also warns the customer of a change that somebody else has made. */
export function writeDeliveryChanged(shop: Shop, orders: PurchaseOrders): LetterText | undefined {
  const [{ number, status, name, address, phone, pickup }] = orders;
  if (status === 'expired') return undefined;
  return {
    subject: `New delivery details for your order ${number}`,
    preview: 'The name, address or phone number of your order has changed.',
    heading: 'Your delivery details have changed',
    blocks: [
      {
        block: 'paragraph',
        text: `The name, address or phone number of your order ${number} has changed. If you didn’t expect this change, please contact us right away.`,
      },
      ...(status === ''
        ? []
        : [
            {
              block: 'facts' as const,
              facts: [
                { label: 'Customer', value: separateDots(name) },
                ...describePlace({ pickup, address: address || 'None' }),
                ...(phone ? [{ label: 'Phone', value: separateDots(phone) }] : []),
              ],
            },
          ]),
      viewButton(shop, number),
    ],
    reason: customerReason,
  };
}

/** `orders` are the orders and charges of the refund's purchase. */
export function writeOrderRefunded(
  shop: Shop,
  orders: readonly Subject[],
  refund: Refund,
): LetterText | undefined {
  const [first] = orders;
  if (!first) return undefined;
  const { number, currency } = first;
  const amount = formatPrice(shop, refund.amount, currency);
  const tools = refund.lines.flatMap(({ subject_id, amount, quantity }) => {
    const order = orders.find(({ id }) => id === subject_id);
    return order ? { order, amount, quantity: quantity ?? 0, isPart: amount < order.total } : [];
  });
  const refundedLines = tools.map(({ order, amount, quantity }) => ({
    ...(order.charge
      ? { text: order.product_name }
      : describeTool(shop, { ...order, quantity: quantity || order.quantity })),
    amount: formatPrice(shop, amount, currency),
  }));
  const [tool, ...others] = tools;
  const isReduction = tool && others.length === 0 && tool.isPart && tool.quantity === 0;
  const share = isReduction ? `${amount} of the ${formatPrice(shop, tool.order.total, currency)}` : amount;
  const [line] = refundedLines;
  const charged = tools.filter(({ order }) => order.charge);
  const count = tools.length - charged.length;
  const named = describeRefunded(count, line?.text, charged[0]?.order.product_name);
  const what = tools.length > 0 ? `for ${named} in your order` : 'for your order';
  return {
    subject: `Refund for your order ${number}`,
    preview: `We’ve refunded ${amount}.`,
    heading: `Your refund of ${amount}`,
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve refunded ${share} ${what} ${number}. The money goes back to the card you paid with, usually within 5 to 10 business days.`,
      },
      ...(tools.length > 0
        ? [
            {
              block: 'lines' as const,
              lines: refundedLines,
              totals: [{ label: 'Refund', amount }],
            },
          ]
        : []),
      viewButton(shop, number),
    ],
    reason: customerReason,
  };
}

/** For example “1 × Broach”, “these 2 tools and delivery”, or “delivery”. */
function describeRefunded(count: number, tool = '', charge?: string): string {
  const tools = count === 1 ? [tool] : count > 1 ? [`these ${count} tools`] : [];
  return [...tools, ...(charge ? [charge.toLowerCase()] : [])].join(' and ');
}

/** For a payment that has not paid the order. `orders` are the orders of the refund's purchase. */
export function writePaymentRefunded(
  shop: Shop,
  orders: readonly OrderRow[],
  refund: Pick<AutomaticRefundRow, 'amount' | 'currency'>,
): LetterText | undefined {
  const [first] = orders;
  if (!first) return undefined;
  const { number } = first;
  const amount = formatPrice(shop, refund.amount, refund.currency);
  const what =
    first.transaction_id === null
      ? `We could not apply your payment of ${amount} to your order ${number}`
      : `We received a second payment of ${amount} for your order ${number}, which is already paid`;
  return {
    subject: `Refund of a payment for your order ${number}`,
    preview: `We’ve refunded ${amount}.`,
    heading: `Your refund of ${amount}`,
    blocks: [
      {
        block: 'paragraph',
        text: `${what}, so we’ve refunded it. The money goes back to the card you paid with, usually within 5 to 10 business days.`,
      },
      viewButton(shop, number),
    ],
    reason: customerReason,
  };
}

/**
 * Corrects `writeOrderRefunded`: the bank has sent the money back. `owed` is the part that has not been paid since. `orders` are the
 * orders of the refund's purchase.
 */
export function writeRefundFailed(
  shop: Shop,
  orders: readonly OrderRow[],
  refund: Pick<Refund, 'amount' | 'currency'> & { owed: number },
): LetterText | undefined {
  const [first] = orders;
  if (!first) return undefined;
  const amount = formatPrice(shop, refund.amount, refund.currency);
  const owed = formatPrice(shop, refund.owed, refund.currency);
  return {
    subject: `Your refund for order ${first.number} could not be paid`,
    preview: `We still owe you ${owed}.`,
    heading: `We still owe you ${owed}`,
    blocks: [
      {
        block: 'paragraph',
        text: `We told you that we had refunded ${amount} for your order ${first.number}, but the refund has failed. We still owe you ${owed === amount ? 'this amount' : `${owed} of it`} and will pay it back. If your card has been replaced, please reply to this email.`,
      },
      viewButton(shop, first.number),
    ],
    reason: customerReason,
  };
}

/** The promises that the owner shows; no block without any. */
async function listPromises(shop: Shop): Promise<LetterBlock[]> {
  const promises = toPromises(await readShopDetails(shop));
  if (promises.length === 0) return [];
  return [
    {
      block: 'facts',
      facts: promises.map(({ name, text }) => ({ label: promiseLabels[name], value: text })),
    },
  ];
}

const promiseLabels: Record<PromiseName, string> = {
  delivery: 'Delivery',
  returns: 'Returns',
  guarantee: 'Guarantee',
};

export function listOrders(shop: Shop, orders: PurchaseOrders, delivery: MailedDelivery): LetterBlock {
  return {
    block: 'lines',
    lines: orders.map((order) => {
      const { quantity, total, currency } = order;
      return {
        ...describeTool(shop, order),
        ...(quantity > 1 ? { note: `${formatPrice(shop, total / quantity, currency)} each` } : {}),
        amount: formatPrice(shop, total, currency),
      };
    }),
    totals: [
      ...describeCharges(shop, orders, delivery),
      { label: 'Total', amount: formatTotal(shop, orders) },
    ],
  };
}

type OrderedTool = Pick<OrderRow, 'quantity' | 'product_name' | 'image'>;

/** A tool with its quantity and picture. */
export const describeTool = (shop: Shop, order: OrderedTool): LetterLine => ({
  text: describeOrder(order),
  ...linkImage(shop, order.image),
});

/**
 * A line's picture, at the URL that everybody gets. Without `PUBLIC_URL`, only this machine could load it, and mail programs load
 * none over plain HTTP.
 */
export function linkImage({ config }: Shop, path: string | null): Pick<LetterLine, 'image'> {
  const [origin] = config.origins;
  const { hash } = parseImagePath(path ?? '') ?? {};
  return hash && origin.startsWith('https:') ? { image: `${origin}${formatImagePath(`${hash}-240`)}` } : {};
}

const payButton = (shop: Shop, orders: PurchaseOrders): LetterBlock => ({
  block: 'button',
  label: `Pay ${formatTotal(shop, orders)}`,
  url: `${shop.config.origins[0]}${paymentPages}/${encodeURIComponent(orders[0].id)}`,
});

export const viewButton = (shop: Shop, number: string, label = 'View your order'): LetterBlock => ({
  block: 'button',
  label,
  url: buildOrderUrl(shop, number),
});

export const viewLink = (shop: Shop, number: string): LetterBlock => ({
  block: 'link',
  label: 'View your order',
  url: buildOrderUrl(shop, number),
});

const buildOrderUrl = ({ config }: Shop, number: string) => `${config.origins[0]}${orderPages}/${number}`;

export const formatTotal = (shop: Shop, [{ purchase_total, currency }]: PurchaseOrders) =>
  formatPrice(shop, purchase_total, currency);

export const listProducts = (orders: readonly OrderRow[]) => orders.map(describeOrder).join(', ');

export const describeOrder = ({ quantity, product_name }: Pick<OrderedTool, 'quantity' | 'product_name'>) =>
  `${quantity} × ${product_name}`;

/**
 * Adds spaces to text from a customer, who may have ordered with somebody else's email address. Without the spaces, mail programs
 * would turn a web address in the text into a link.
 */
export const separateDots = (text: string) => text.replace(/(?<=[\p{L}\p{N}])[.:](?=[\p{L}/])/gu, '$& ');
