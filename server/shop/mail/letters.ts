import type { Letter, LetterBlock } from '../../../contract/mail.ts';
import { formatPrice } from '../../config/currency.ts';
import { formatUtcTime } from '../../config/utc-time.ts';
import { type PurchaseOrders, sumTotals } from '../orders/purchases.ts';
import type { OrderRow } from '../orders/queries.ts';
import { describeShipping } from '../orders/tracking.ts';
import type { Shop } from '../shop.ts';

type LetterFact = Extract<LetterBlock, { block: 'facts' }>['facts'][number];

/** A message without the shop's details, which all messages share. */
export type LetterText = Omit<Letter, 'shop'>;

const customerReason = 'You’re receiving this email because you placed an order with us.';

/**
 * Messages about unpaid orders contain nothing that the customer typed, such as a name or an address: anybody can order
 * with somebody else's email address, and must not be able to send text to it.
 */
export function writeOrderPlaced(shop: Shop, orders: PurchaseOrders): LetterText | undefined {
  const [{ number, status, hold_until }] = orders;
  if (status !== '') return undefined;
  return {
    subject: `Your order ${number}`,
    preview: `Please pay by ${formatUtcTime(hold_until)}.`,
    heading: 'Thank you for your order',
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve reserved the items in your order ${number} for you until ${formatUtcTime(hold_until)}. We’ll ship them once you’ve paid.`,
      },
      listOrders(shop, orders),
      payButton(shop, orders),
    ],
    reason: customerReason,
  };
}

export function writeHoldEnding(shop: Shop, orders: PurchaseOrders): LetterText | undefined {
  const [{ number, status, hold_until }] = orders;
  if (status !== '') return undefined;
  return {
    subject: `Your order ${number} is waiting for payment`,
    preview: `It’s reserved for you until ${formatUtcTime(hold_until)}.`,
    heading: 'Your order is waiting for payment',
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve reserved the items in your order ${number} for you until ${formatUtcTime(hold_until)}. After that, others can buy them. If you no longer want them, you don’t need to do anything.`,
      },
      listOrders(shop, orders),
      payButton(shop, orders),
    ],
    reason: customerReason,
  };
}

/** A receipt, with everything that an invoice must contain; the seller's details are at the end of every message. */
export function writeOrderPaid(shop: Shop, orders: PurchaseOrders): LetterText {
  const [{ number, paid_at, user_name, address, phone, transaction_id }] = orders;
  return {
    subject: `Receipt for your order ${number}`,
    preview: `We’ve received ${formatTotal(shop, orders)}.`,
    heading: 'Thank you for your payment',
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve received ${formatTotal(shop, orders)} for your order ${number}. We’ll email you again when it’s on its way.`,
      },
      listOrders(shop, orders),
      {
        block: 'facts',
        facts: [
          { label: 'Invoice number', value: number },
          { label: 'Paid', value: formatUtcTime(paid_at ?? Date.now()) },
          { label: 'Transaction', value: transaction_id ?? '' },
          { label: 'Customer', value: separateDots(user_name) },
          ...(address ? [{ label: 'Delivery address', value: separateDots(address) }] : []),
          ...(phone ? [{ label: 'Phone', value: separateDots(phone) }] : []),
        ],
      },
      {
        block: 'button',
        label: 'Print the invoice',
        url: `${shop.config.origins[0]}/dashboard/print/invoices?orders=${number}`,
      },
    ],
    reason: customerReason,
  };
}

export function writeOrderShipped(shop: Shop, orders: PurchaseOrders): LetterText | undefined {
  const shipped = orders.filter(({ status }) => status === 'sipping');
  const [first, ...others] = shipped;
  if (!first) return undefined;
  const { number, address } = first;
  const isComplete = shipped.length === orders.length;
  return {
    subject: `${isComplete ? 'Your' : 'Part of your'} order ${number} is on its way`,
    preview: listProducts([first, ...others]),
    heading: `${isComplete ? 'Your' : 'Part of your'} order is on its way`,
    blocks: [
      {
        block: 'paragraph',
        text: isComplete
          ? `We’ve shipped your order ${number}.`
          : `We’ve shipped part of your order ${number}. The rest will follow.`,
      },
      ...listParcels(shipped, address),
      viewButton(shop, number),
    ],
    reason: customerReason,
  };
}

export function writeOrderRefunded(
  shop: Shop,
  order: OrderRow,
  refund: { amount: number; currency: string },
): LetterText {
  const amount = formatPrice(shop, refund.amount, refund.currency);
  const charged = formatPrice(shop, order.total, order.currency);
  const share = refund.amount < order.total ? `${amount} of the ${charged}` : amount;
  return {
    subject: `Refund for your order ${order.number}`,
    preview: `We’ve refunded ${amount}.`,
    heading: `Your refund of ${amount}`,
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve refunded ${share} for ${order.quantity} × ${order.product_name} in your order ${order.number}. The money goes back to the card you paid with, usually within 5 to 10 business days.`,
      },
      viewButton(shop, order.number),
    ],
    reason: customerReason,
  };
}

export function listOrders(shop: Shop, orders: PurchaseOrders): LetterBlock {
  return {
    block: 'lines',
    lines: orders.map(({ quantity, product_name, total, currency }) => ({
      text: `${quantity} × ${product_name}`,
      ...(quantity > 1 ? { note: `${formatPrice(shop, total / quantity, currency)} each` } : {}),
      amount: formatPrice(shop, total, currency),
    })),
    totals: [{ label: 'Total', amount: formatTotal(shop, orders) }],
  };
}

/** Orders with the same tracking number are one parcel. */
const groupByParcel = (orders: readonly OrderRow[]): OrderRow[][] => [
  ...Map.groupBy(orders, ({ id, tracking_number }) => tracking_number || id).values(),
];

/** All go to the same address, which a single parcel's facts include. */
function listParcels(orders: readonly OrderRow[], address: string): LetterBlock[] {
  const [first = [], ...others] = groupByParcel(orders).map(describeParcel);
  const deliverTo = address ? [{ label: 'Delivery address', value: separateDots(address) }] : [];
  if (others.length === 0) return [{ block: 'facts', facts: [...first, ...deliverTo] }];
  return [first, ...others, deliverTo].flatMap((facts) =>
    facts.length > 0 ? [{ block: 'facts' as const, facts }] : [],
  );
}

function describeParcel(parcel: readonly OrderRow[]): LetterFact[] {
  const [first] = parcel;
  const { carrier, trackingNumber, trackingUrl } = first ? describeShipping(first) : {};
  return [
    { label: 'Shipped', value: parcel.map(describeOrder).join('\n') },
    ...(carrier ? [{ label: 'Carrier', value: carrier }] : []),
    ...(trackingNumber
      ? [{ label: 'Tracking number', value: trackingNumber, ...(trackingUrl ? { url: trackingUrl } : {}) }]
      : []),
  ];
}

const payButton = (shop: Shop, orders: PurchaseOrders): LetterBlock => ({
  block: 'button',
  label: `Pay ${formatTotal(shop, orders)}`,
  url: `${shop.config.origins[0]}/dashboard/payment/${encodeURIComponent(orders[0].id)}`,
});

const viewButton = (shop: Shop, number: string): LetterBlock => ({
  block: 'button',
  label: 'View your order',
  url: `${shop.config.origins[0]}/dashboard/orders/${number}`,
});

export const formatTotal = (shop: Shop, orders: PurchaseOrders) =>
  formatPrice(shop, sumTotals(orders), orders[0].currency);

export const listProducts = (orders: readonly OrderRow[]) => orders.map(describeOrder).join(', ');

const describeOrder = ({ quantity, product_name }: OrderRow) => `${quantity} × ${product_name}`;

/**
 * Adds spaces to text from a customer, who may have ordered with somebody else's email address: mail programs would turn a
 * web address into a link.
 */
export const separateDots = (text: string) => text.replace(/(?<=[\p{L}\p{N}])[.:](?=[\p{L}/])/gu, '$& ');
