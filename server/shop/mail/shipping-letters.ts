import type { LetterBlock } from '../../../contract/mail.ts';
import type { MailRow } from '../../mail/outbox.ts';
import { listRefunds } from '../orders/details.ts';
import { countPacked } from '../orders/packed.ts';
import type { PurchaseOrders } from '../orders/purchases.ts';
import { findOrder, listPurchaseOrders, type OrderRow } from '../orders/queries.ts';
import { describeShipping } from '../orders/tracking.ts';
import type { Shop } from '../shop.ts';
import {
  customerReason,
  describeOrder,
  type LetterText,
  listProducts,
  separateDots,
  viewButton,
} from './letters.ts';

type LetterFact = Extract<LetterBlock, { block: 'facts' }>['facts'][number];

export async function writeOrderShipped(shop: Shop, orders: PurchaseOrders): Promise<LetterText | undefined> {
  const shipped = await listShipped(shop, orders);
  const [first] = shipped;
  if (!first) return undefined;
  const { number, address } = first;
  const isComplete = orders.every((order) => order.status === 'sipping' || isRefunded(order));
  return {
    subject: `${isComplete ? 'Your' : 'Part of your'} order ${number} is on its way`,
    preview: listProducts(shipped),
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

const isRefunded = ({ refunded, total, refunded_quantity, quantity }: OrderRow): boolean =>
  refunded >= total || refunded_quantity >= quantity;

/** The shipped orders of a purchase, with the quantities that were shipped. */
async function listShipped(shop: Shop, orders: readonly OrderRow[]): Promise<OrderRow[]> {
  const shipped = orders.filter(({ status }) => status === 'sipping');
  if (shipped.length === 0) return [];
  const refunds = await listRefunds(shop.database.db, shipped);
  return shipped.map((order) => ({ ...order, quantity: countPacked(order, refunds) }));
}

/** Reports that the tracking of a shipped order has changed, and says that no second parcel was sent. */
export const writeTrackingNotice =
  (what: 'added' | 'corrected') =>
  async (shop: Shop, { about }: MailRow): Promise<LetterText | undefined> => {
    const { db } = shop.database;
    const order = await findOrder(db, about);
    if (!order) return undefined;
    const { number, address, purchase_id } = order;
    const shipped = await listShipped(shop, await listPurchaseOrders(db, { id: purchase_id }));
    const parcel = groupByParcel(shipped).find((orders) => orders.some(({ id }) => id === order.id));
    if (!parcel) return undefined;
    const hasTracking = order.tracking_number || order.carrier || order.tracking_url;
    const change = what === 'added' ? 'added tracking details to' : 'corrected the tracking details of';
    return {
      subject: `${what === 'added' ? 'Tracking' : 'Corrected tracking'} for your order ${number}`,
      preview: listProducts(parcel),
      heading: 'Your tracking details',
      blocks: [
        {
          block: 'paragraph',
          text: hasTracking
            ? `We ${change} your order ${number}. It’s the same parcel: we haven’t sent another one.`
            : `We removed wrong tracking details from your order ${number}. We haven’t sent another parcel.`,
        },
        ...listParcels(parcel, address),
        viewButton(shop, number),
      ],
      reason: customerReason,
    };
  };

/** Orders with the same tracking number are one parcel, as are those without a number whose carrier and link are the same. */
const groupByParcel = (orders: readonly OrderRow[]): OrderRow[][] => [
  ...Map.groupBy(
    orders,
    ({ carrier, tracking_number, tracking_url }) =>
      tracking_number || JSON.stringify([carrier, tracking_url]),
  ).values(),
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
  const { carrier, trackingNumber, trackingUrl: url } = first ? describeShipping(first) : {};
  return [
    { label: 'Shipped', value: parcel.map(describeOrder).join('\n') },
    ...(carrier ? [{ label: 'Carrier', value: carrier }] : []),
    ...(trackingNumber
      ? [{ label: 'Tracking number', value: trackingNumber, ...(url ? { url } : {}) }]
      : url
        ? [{ label: 'Tracking', value: 'Track your parcel', url }]
        : []),
  ];
}
