import type { ReactNode } from 'react';
import { formatCount, formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Overview } from '../../../../../contract/admin/overview.ts';
import {
  dashboardPage,
  managedProductPages,
  manageProductsPage,
} from '../../../../../contract/page-addresses.ts';
import { Link } from '../../../../components/link.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { useMoney } from '../../../../shop.tsx';
import { FilterLink } from '../../filter-link.tsx';
import { type BestSellerPeriod, bestSellerPeriods } from './best-seller-periods.ts';

/** The best sellers of another period than the overview's. */
export type ChosenBestSellers = Pick<Overview, 'bestSellers' | 'total'> & { period: BestSellerPeriod };

type BestSellersProps = Pick<Overview, 'bestSellers' | 'currency'> & {
  /** The period of the best sellers; by default, the last 30 days. */
  period?: BestSellerPeriod;
  /** All sales of the period, unless they are shown above. */
  total?: Overview['total'];
};

export function BestSellers({ bestSellers, currency, period, total }: BestSellersProps) {
  const money = useMoney();
  return (
    <section>
      <h2 id="best-sellers" className="mb-3 text-2xl">
        Best sellers
      </h2>
      <nav aria-labelledby="best-sellers" className="mb-1 flex flex-wrap gap-x-3.5 text-sm">
        <FilterLink to={dashboardPage} current={!period} keepsPlace>
          30 days
        </FilterLink>
        {Object.entries(bestSellerPeriods).map(([name, label]) => (
          <FilterLink key={name} to={`${dashboardPage}?best=${name}`} current={name === period} keepsPlace>
            {label}
          </FilterLink>
        ))}
      </nav>
      <p className="mb-3 text-sm text-soft">
        {describeBestSellers(bestSellers, period)}
        {total && total.revenue > 0 && ` All sales: ${money.table(total.revenue, currency)}.`}
      </p>
      <ol>
        {bestSellers?.map(({ _id, name, pieces, revenue, deleted }) => (
          <Row
            key={_id}
            to={deleted ? undefined : `${managedProductPages}/${_id}`}
            name={deleted ? `${name} (deleted)` : name}
          >
            {formatQuantity(pieces, 'piece')}, {money.table(revenue, currency)}
          </Row>
        ))}
      </ol>
    </section>
  );
}

function describeBestSellers(
  bestSellers: Overview['bestSellers'],
  period: BestSellerPeriod | undefined,
): string {
  const when = period ? bestSellerPeriods[period].toLowerCase() : 'in the last 30 days';
  if (!bestSellers) return 'They are being counted. Look again in a few minutes.';
  if (bestSellers.length === 0) return `Nothing was sold ${when}.`;
  return `By revenue ${when}, before refunds.`;
}

/** Manage Products, filtered by low stock. */
export const lowStockPath = `${manageProductsPage}?low&sort=stock`;

export function LowStock({ lowStock: { products, first } }: Pick<Overview, 'lowStock'>) {
  const more = products - first.length;
  return (
    <section>
      <h2 className="mb-3 text-2xl">Low stock</h2>
      <p className="mb-3 text-sm text-soft">
        {first.length === 0 ? 'Nothing is low on stock.' : 'Sold out, or below the threshold.'}
      </p>
      <ul>
        {first.map(({ _id, name, o_quantity, a_quantity, lowStock }) => (
          <Row key={_id} to={`${managedProductPages}/${_id}`} name={name}>
            {a_quantity < o_quantity ? (
              <StatusBadge tone="wrong">Sold out</StatusBadge>
            ) : (
              `${formatCount(a_quantity)} left`
            )}
            {lowStock !== undefined && `, threshold ${formatCount(lowStock)}`}
          </Row>
        ))}
      </ul>
      {more > 0 && (
        <p className="mt-3">
          <Link to={lowStockPath} className="link link-alone">
            {formatQuantity(more, 'more product')}
          </Link>
        </p>
      )}
    </section>
  );
}

type RowProps = { to: string | undefined; name: string; children: ReactNode };

/** A row of a list of the overview, with a link if it leads anywhere. */
export function Row({ to, name, children }: RowProps) {
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-4 border-b border-rule py-2 text-sm">
      <span className="min-w-0 grow basis-32 wrap-anywhere">
        {to ? (
          <Link to={to} className="link link-alone">
            {name}
          </Link>
        ) : (
          name
        )}
      </span>
      <span className="figures ml-auto text-right text-soft">{children}</span>
    </li>
  );
}
