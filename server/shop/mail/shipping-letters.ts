import type { LetterBlock } from '../../../contract/mail.ts';
import type { MailRow } from '../../mail/outbox.ts';
import { isToShip, listOrdersByPurchase, type OrderRow } from '../orders/queries.ts';
import { listShipmentLines, type ShipmentRow } from '../orders/shipments/read.ts';
import { describeTracking } from '../orders/tracking.ts';
import type { Shop } from '../shop.ts';
import {
  customerReason,
  describeTool,
  type LetterText,
  listProducts,
  separateDots,
  viewButton,
  viewLink,
} from './letters.ts';

type LetterFact = Extract<LetterBlock, { block: 'facts' }>['facts'][number];

/** A parcel with its orders, whose `quantity` is the number of pieces in it. */
type Parcel = { shipment: ShipmentRow; orders: [OrderRow, ...OrderRow[]] };

/** Reports the parcels that `about` lists. Parcels that were taken back no longer exist. */
export async function writeOrderShipped(shop: Shop, { about }: MailRow): Promise<LetterText | undefined> {
  const { parcels, orders } = await readParcels(shop, about.split(' '));
  if (parcels.length === 0) return undefined;
  const numbers = [...new Set(orders.map(({ number }) => number))];
  const { subject, text } = describeShare(parcels, orders);
  const [noun, verb] = numbers.length === 1 ? ['order', 'is'] : ['orders', 'are'];
  const isWhole = subject === 'Your';
  const be = isWhole ? `${verb} on ${numbers.length === 1 ? 'its' : 'their'} way` : 'is on its way';
  const isPart = subject.startsWith('Part');
  return {
    subject: `${subject} ${noun} ${numbers.join(' and ')} ${be}`,
    preview: listProducts(parcels.flatMap((parcel) => parcel.orders)),
    heading: `${subject} ${noun} ${be}`,
    blocks: [
      {
        block: 'paragraph',
        text: `We’ve shipped ${text} ${noun} ${numbers.join(' and ')}.${isPart ? ' The rest will follow.' : ''}`,
      },
      ...describeParcels(shop, parcels),
      ...numbers.map((number) => viewOrder(shop, number, parcels)),
    ],
    reason: customerReason,
  };
}

/** Whether these parcels are all of these orders, the rest of them, or a part. */
function describeShare(
  parcels: readonly Parcel[],
  orders: readonly OrderRow[],
): { subject: string; text: string } {
  if (orders.some(isToShip)) return { subject: 'Part of your', text: 'part of your' };
  const inParcels = parcels
    .flatMap((parcel) => parcel.orders)
    .reduce((sum, { quantity }) => sum + quantity, 0);
  const shipped = orders.reduce((sum, order) => sum + order.shipped, 0);
  return inParcels < shipped
    ? { subject: 'The rest of your', text: 'the rest of your' }
    : { subject: 'Your', text: 'your' };
}

/** Reports that the tracking of a parcel has changed, and says that no second one was sent. */
export const writeTrackingNotice =
  (what: 'added' | 'corrected') =>
  async (shop: Shop, { about }: MailRow): Promise<LetterText | undefined> => {
    const { parcels } = await readParcels(shop, [about]);
    const [parcel] = parcels;
    if (!parcel) return undefined;
    const { shipment, orders } = parcel;
    const { number } = orders[0];
    const hasTracking = shipment.tracking_number || shipment.carrier || shipment.tracking_url;
    const change = what === 'added' ? 'added tracking details to' : 'corrected the tracking details of';
    return {
      subject: `${what === 'added' ? 'Tracking' : 'Corrected tracking'} for your order ${number}`,
      preview: listProducts(orders),
      heading: 'Your tracking details',
      blocks: [
        {
          block: 'paragraph',
          text: hasTracking
            ? `We ${change} your order ${number}. It’s the same parcel: we haven’t sent another one.`
            : `We removed wrong tracking details from your order ${number}. We haven’t sent another parcel.`,
        },
        ...describeParcels(shop, parcels),
        viewOrder(shop, number, parcels),
      ],
      reason: customerReason,
    };
  };

/** The parcels that still exist, and all orders of their purchases. */
async function readParcels(
  { database: { db } }: Shop,
  ids: readonly string[],
): Promise<{ parcels: Parcel[]; orders: OrderRow[] }> {
  const lines = await listShipmentLines(db, ids);
  if (lines.length === 0) return { parcels: [], orders: [] };
  const orders = await listOrdersByPurchase(
    db,
    lines.map(({ order_line_id }) => order_line_id),
  );
  const byId = new Map(orders.map((order) => [order.id, order]));
  const parcels = [...Map.groupBy(lines, ({ id }) => id).values()].flatMap((rows): Parcel[] => {
    const [shipment] = rows;
    const [first, ...others] = rows.flatMap(({ order_line_id, quantity }) => {
      const order = byId.get(order_line_id);
      return order ? { ...order, quantity } : [];
    });
    return shipment && first ? [{ shipment, orders: [first, ...others] }] : [];
  });
  return { parcels, orders };
}

/**
 * The tools of each parcel, with what is known about it. Without prices: their sum would read like a second charge. A single
 * parcel's facts include the delivery address; several share one if it is the same.
 */
function describeParcels(shop: Shop, parcels: readonly Parcel[]): LetterBlock[] {
  const addresses = new Set(parcels.map(({ shipment }) => shipment.address));
  const isShared = parcels.length > 1 && addresses.size === 1;
  const blocks = parcels.flatMap(({ shipment, orders }, index): LetterBlock[] => [
    ...(parcels.length > 1
      ? [{ block: 'paragraph' as const, text: `Parcel ${index + 1} of ${parcels.length}` }]
      : []),
    { block: 'lines', lines: orders.map((order) => describeTool(shop, order)), totals: [] },
    ...listFacts([...describeTracks(shipment), ...(isShared ? [] : describeAddress(shipment.address))]),
    ...trackButton(shipment, parcels.length > 1 ? `parcel ${index + 1}` : 'the parcel'),
  ]);
  return [...blocks, ...listFacts(isShared ? describeAddress([...addresses].join('')) : [])];
}

const listFacts = (facts: LetterFact[]): LetterBlock[] =>
  facts.length > 0 ? [{ block: 'facts', facts }] : [];

const describeAddress = (address: string): LetterFact[] =>
  address ? [{ label: 'Delivery address', value: separateDots(address) }] : [];

function describeTracks(shipment: ShipmentRow): LetterFact[] {
  const { carrier, trackingNumber } = describeTracking(shipment);
  return [
    ...(carrier ? [{ label: 'Carrier', value: carrier }] : []),
    ...(trackingNumber ? [{ label: 'Tracking number', value: trackingNumber }] : []),
  ];
}

function trackButton(shipment: ShipmentRow, parcel: string): LetterBlock[] {
  const { trackingUrl } = describeTracking(shipment);
  return trackingUrl ? [{ block: 'button', label: `Track ${parcel}`, url: trackingUrl }] : [];
}

/** A link beside the buttons that track the parcels; without any, the order's page is the next step. */
const viewOrder = (shop: Shop, number: string, parcels: readonly Parcel[]): LetterBlock =>
  parcels.some(({ shipment }) => describeTracking(shipment).trackingUrl)
    ? viewLink(shop, number)
    : viewButton(shop, number);
