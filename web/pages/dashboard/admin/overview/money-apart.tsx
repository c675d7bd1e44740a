import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { DisputedMoney, Overview } from '../../../../../contract/admin/overview.ts';
import { allOrdersPage } from '../../../../../contract/page-addresses.ts';
import { Link } from '../../../../components/link.tsx';
import { useMoney } from '../../../../shop.tsx';
import { linkToDays } from './figures.tsx';

/** A line for each kind of money that the figures do not include, if there is any. */
export function MoneyApart({ overview }: { overview: Overview }) {
  const { disputed, chargedBack, otherCurrencies, days } = overview;
  const money = useMoney();
  const describe = (sums: DisputedMoney[]) =>
    sums
      .map(
        ({ currency, amount, disputes }) =>
          `${money.table(amount, currency)} in ${formatQuantity(disputes, 'dispute')}`,
      )
      .join(', ');
  const others = otherCurrencies.flatMap(({ currency, revenue, orders, refunded, refunds }) => [
    ...(orders > 0 ? [`${money.table(revenue, currency)} in ${formatQuantity(orders, 'order')}`] : []),
    ...(refunds > 0 ? [`${money.table(refunded, currency)} refunded`] : []),
  ]);
  return (
    <div className="mb-6 text-sm text-soft">
      {disputed.length > 0 && (
        <p>
          Disputed now:{' '}
          <Link to={`${allOrdersPage}?status=disputed`} className="link">
            {describe(disputed)}
          </Link>
        </p>
      )}
      {chargedBack.length > 0 && (
        <p>
          {`Charged back in these ${days.length} days: `}
          <Link to={linkToDays(overview, 'charged_back')} className="link">
            {describe(chargedBack)}
          </Link>
        </p>
      )}
      {others.length > 0 && (
        <p>
          In other currencies, not included:{' '}
          <Link to={linkToDays(overview, 'paid')} className="link">
            {others.join(', ')}
          </Link>
        </p>
      )}
    </div>
  );
}
