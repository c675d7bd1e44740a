import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import { chargeNames } from '../../../../../contract/delivery/charge-names.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { HistoryEntry } from '../../../../../contract/orders/shipping.ts';
import { Moment } from '../../../../components/moment.tsx';
import { useMoney } from '../../../../shop.tsx';

type Entry = HistoryEntry & { product?: string };

/** Merges the orders' histories, oldest first. The orders share the events of their purchase. */
function mergeHistories({ orders }: Purchase): Entry[] {
  return orders
    .flatMap(({ product, history = [] }, index) =>
      history
        .filter((entry) => index === 0 || isOwn(entry))
        .map((entry) => {
          if (entry.charge) return { ...entry, product: chargeNames[entry.charge] };
          return orders.length > 1 && isOwn(entry) ? { ...entry, product } : entry;
        }),
    )
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

const ownEvents: readonly HistoryEntry['what'][] = [
  'shipped',
  'tracking_changed',
  'shipment_undone',
  'returned',
  'refund_started',
  'refund_assigned',
  'refund_refused',
  'refunded',
  'owed_settled',
  'paid_twice',
];
const isOwn = ({ what }: HistoryEntry) => ownEvents.includes(what);

/** How a refund ended that did not succeed. */
const endings = new Map([
  ['failed', ' failed'],
  ['canceled', ' cancelled'],
]);

const decisions = new Map([
  ['won', 'Dispute won'],
  ['lost', 'Dispute lost, payment charged back'],
  ['warning_closed', 'Dispute closed'],
  ['prevented', 'Dispute prevented'],
]);

/** Describes an event in words. A refund without an admin was made in the provider's dashboard. */
function describeEvent(
  { what, who, charge, status = '' }: Entry,
  { paid }: Purchase,
  isAdmin: boolean,
): string {
  const payment = paid ? 'second payment' : 'payment';
  const ending = endings.get(status);
  const started = isAdmin && !who ? 'Refund made in Stripe’s dashboard' : 'Refund started';
  const words: Record<HistoryEntry['what'], string> = {
    placed: 'Ordered',
    paid: 'Paid',
    shipped: 'Shipped',
    tracking_changed: 'Tracking changed',
    shipment_undone: 'Parcel taken back',
    delivery_changed: 'Delivery details changed',
    returned: 'Back in stock',
    refund_started: started,
    refund_assigned: charge ? 'Refund assigned' : 'Refund assigned to this tool',
    refund_refused: 'Refund refused by the payment provider',
    refunded: ending ? `Refund${ending}` : 'Refunded',
    owed_settled: status === 'repaid' ? 'Paid back another way' : 'No longer owed',
    paid_twice: 'Refund made after all, the customer may have been paid twice',
    unassigned_refund_started: isAdmin ? `${started}, not assigned to a tool` : started,
    unassigned_refunded: ending ? `Refund${ending}` : 'Refunded',
    automatic_refund_started: `Refund of a ${payment} started`,
    automatic_refunded: ending ? `Refund of a ${payment}${ending}` : `Refunded a ${payment}`,
    disputed: 'Payment disputed',
    dispute_decided: decisions.get(status) ?? `Dispute decided (${status.replaceAll('_', ' ')})`,
    expired: 'Not paid in time',
  };
  return words[what];
}

type Props = { purchase: Purchase; isAdmin: boolean };

/** A purchase's events with their times and, for an admin, who caused them. */
export function History({ purchase, isAdmin }: Props) {
  const money = useMoney();
  const describe = (entry: Entry) => {
    const { what, amount, currency = purchase.currency, quantity = 0, status, product } = entry;
    const facts = [
      ...(quantity > 0 ? [formatQuantity(quantity, 'piece')] : []),
      ...(amount === undefined ? [] : [money.charged(amount, currency)]),
    ];
    const sum = facts.length > 0 ? `: ${facts.join(', ')}` : '';
    const state = what === 'disputed' && status ? ` (${status.replaceAll('_', ' ')})` : '';
    return `${describeEvent(entry, purchase, isAdmin)}${sum}${state}${product ? ` · ${product}` : ''}`;
  };
  return (
    <section aria-labelledby="history" className="mb-10 border-t-2 border-edge pt-4">
      <h2 id="history" className="mb-2 text-xl">
        History
      </h2>
      <ol className="figures border-b border-rule">
        {mergeHistories(purchase).map((entry) => (
          <li
            key={`${entry.at} ${entry.what} ${entry.product} ${entry.amount}`}
            className="gap-x-6 border-t border-rule py-2 sm:grid sm:grid-cols-[12rem_1fr]"
          >
            <span className="block text-soft">
              <Moment at={entry.at} />
            </span>
            <span className="min-w-0 wrap-anywhere">
              {describe(entry)}
              {entry.who && <span className="block text-sm text-soft">{`by ${entry.who}`}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
