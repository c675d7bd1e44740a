import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { HistoryEntry } from '../../../../../contract/orders/shipping.ts';
import { Moment } from '../../../../components/moment.tsx';
import { useMoney } from '../../../../shop.tsx';

type Entry = HistoryEntry & { product?: string };

/** Merges the orders' histories, oldest first. The orders share all entries except shipping and refunds. */
function mergeHistories({ orders }: Purchase): Entry[] {
  return orders
    .flatMap(({ product, history = [] }, index) =>
      history
        .filter((entry) => index === 0 || isOwn(entry))
        .map((entry) => (orders.length > 1 && isOwn(entry) ? { ...entry, product } : entry)),
    )
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

const ownEvents: readonly HistoryEntry['what'][] = [
  'shipped',
  'tracking_changed',
  'shipment_undone',
  'refunded',
];
const isOwn = ({ what }: HistoryEntry) => ownEvents.includes(what);

const words: Record<HistoryEntry['what'], string> = {
  placed: 'Ordered',
  paid: 'Paid',
  shipped: 'Shipped',
  tracking_changed: 'Tracking changed',
  shipment_undone: 'Parcel taken back',
  delivery_changed: 'Delivery details changed',
  refunded: 'Refunded',
  disputed: 'Payment disputed',
  expired: 'Not paid in time',
};

const refundWords = new Map([
  ['pending', 'Refund pending'],
  ['failed', 'Refund failed'],
  ['canceled', 'Refund cancelled'],
]);

/** A purchase's events with their times and, for an admin, who caused them. */
export function History({ purchase }: { purchase: Purchase }) {
  const money = useMoney();
  const describe = ({ what, amount, quantity = 0, status = '', product }: Entry) => {
    const word = (what === 'refunded' && refundWords.get(status)) || words[what];
    const facts = [
      ...(quantity > 0 ? [formatQuantity(quantity, 'piece')] : []),
      ...(amount === undefined ? [] : [money.charged(amount, purchase.currency)]),
    ];
    const sum = facts.length > 0 ? `: ${facts.join(', ')}` : '';
    const outcome = what === 'disputed' && status ? ` (${status.replaceAll('_', ' ')})` : '';
    return `${word}${sum}${outcome}${product ? ` · ${product}` : ''}`;
  };
  return (
    <section aria-labelledby="history" className="mb-10 border-t-2 border-edge pt-4">
      <h2 id="history" className="mb-2 text-xl">
        History
      </h2>
      <ol className="figures border-b border-rule">
        {mergeHistories(purchase).map((entry) => (
          <li
            key={`${entry.at} ${entry.what} ${entry.product}`}
            className="gap-x-6 border-t border-rule py-2 sm:flex"
          >
            <span className="block shrink-0 text-soft">
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
