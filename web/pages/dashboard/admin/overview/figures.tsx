import type { ReactNode } from 'react';
import {
  formatAge,
  formatCappedCount,
  formatCount,
  formatQuantity,
  maxCount,
} from '../../../../../contract/admin/health-format.ts';
import type { Overview, Sums } from '../../../../../contract/admin/overview.ts';
import { allOrdersPage, healthPage, reviewsPage } from '../../../../../contract/page-addresses.ts';
import { Link } from '../../../../components/link.tsx';
import { useMoney } from '../../../../shop.tsx';
import { compareFigures } from './compare.ts';
import { lowStockPath } from './product-lists.tsx';

/** Figures about the work that is waiting. */
export function Work({ overview }: { overview: Overview }) {
  const { toShip, holds, lowStock, troubles, untried, reportedReviews, pendingReviews, readAt } = overview;
  return (
    <>
      {pendingReviews > 0 && (
        <p className="mb-4">
          <Link to={`${reviewsPage}?pending`} className="link">
            {formatCappedCount(pendingReviews, 'review')}
          </Link>{' '}
          to approve.
        </p>
      )}
      {reportedReviews > 0 && (
        <p className="mb-4">
          Readers have reported{' '}
          <Link to={`${reviewsPage}?reported`} className="link">
            {formatCappedCount(reportedReviews, 'review')}
          </Link>
          .
        </p>
      )}
      <dl className="plate mb-12 bg-leaf sm:grid-cols-2 xl:grid-cols-4">
        <Figure
          term="To ship"
          to={`${allOrdersPage}?status=paid&sort=created`}
          value={describeParcels(toShip)}
        >
          {toShip.since
            ? `${formatCappedCount(toShip.tools, 'tool')}. The oldest was paid for ${formatAge(toShip.since, readAt)} ago.`
            : 'Nothing to ship.'}
        </Figure>
        <Figure
          term="Unpaid"
          to={`${allOrdersPage}?status=unpaid`}
          value={formatCappedCount(holds.orders, 'tool')}
        >
          {holds.nextEndsAt
            ? `${formatQuantity(holds.pieces, 'piece')} held. The next hold ends in ${formatAge(readAt, holds.nextEndsAt)}.`
            : 'No stock is held.'}
        </Figure>
        <Figure term="Low stock" to={lowStockPath} value={formatCappedCount(lowStock.products, 'product')}>
          {lowStock.products === 0 ? 'Nothing is low on stock.' : 'Sold out, or below the threshold.'}
        </Figure>
        <Figure term="Health" to={healthPage} value={formatCappedCount(troubles.length, 'problem')}>
          {troubles[0]?.what ?? untried[0] ?? 'All is well.'}
        </Figure>
      </dl>
    </>
  );
}

/** The shop counts only the parcels of the first thousand tools, so a larger number is a minimum. */
const describeParcels = ({ parcels, tools }: Overview['toShip']): string =>
  tools < maxCount ? formatQuantity(parcels, 'parcel') : `${formatCount(parcels)} or more parcels`;

/** Today, and the last days compared with the same number of days before. */
export function Sales({ overview }: { overview: Overview }) {
  const { days, total, before, to, currency } = overview;
  const money = useMoney();
  const amount = (figure: number) => money.table(figure, currency);
  const today: Sums = days.at(-1) ?? total;
  const period = `the previous ${days.length} days`;
  return (
    <dl className="plate mb-8 bg-leaf sm:grid-cols-2 xl:grid-cols-4">
      <Figure term="Today" to={linkToPaid({ from: to, to })} value={amount(today.revenue)}>
        {`${formatQuantity(today.orders, 'order')} paid, ${amount(today.refunded)} refunded.`}
      </Figure>
      <Figure term={`Revenue, ${days.length} days`} to={linkToPaid(overview)} value={amount(total.revenue)}>
        {`${capitalize(compareFigures(total.revenue, before.revenue, period, amount))}.`}
      </Figure>
      <Figure
        term={`Orders, ${days.length} days`}
        to={linkToPaid(overview)}
        value={formatCount(total.orders)}
      >
        {`${capitalize(compareFigures(total.orders, before.orders, period, formatCount, 'fewer'))}.`}
      </Figure>
      <Figure
        term={`Refunds, ${days.length} days`}
        to={linkToDays(overview, 'refunded')}
        value={amount(total.refunded)}
      >
        {`${capitalize(compareFigures(total.refunded, before.refunded, period, amount))}.`}
      </Figure>
    </dl>
  );
}

const linkToPaid = (period: Pick<Overview, 'from' | 'to'>): string => linkToDays(period, 'paid');

/** The list of the orders behind a figure. */
export const linkToDays = (
  { from, to }: Pick<Overview, 'from' | 'to'>,
  by: 'paid' | 'refunded' | 'charged_back',
): string => `${allOrdersPage}?from=${from}&to=${to}&by=${by}`;

type FigureProps = { term: string; to: string; value: string; children: ReactNode };

function Figure({ term, to, value, children }: FigureProps) {
  return (
    <div className="px-5 py-4">
      <dt className="caps text-brass">{term}</dt>
      <dd>
        <Link to={to} className="link figures inline-flex min-h-11 items-center font-serif text-xl">
          {value}
        </Link>
        <span className="block text-sm text-soft">{children}</span>
      </dd>
    </div>
  );
}

const capitalize = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
