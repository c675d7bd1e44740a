import { useState } from 'react';
import type { Overview as Data } from '../../../../../contract/admin/overview.ts';
import { addProductPage } from '../../../../../contract/page-addresses.ts';
import { getSession } from '../../../../client/session.ts';
import { ButtonLink } from '../../../../components/button.tsx';
import { EmptyState } from '../../../../components/feedback/empty-state.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { useSettings } from '../../../../shop.tsx';
import { usePolling } from '../../use-polling.ts';
import { Sales, Work } from './figures.tsx';
import { LateOrders } from './late-orders.tsx';
import { MoneyApart } from './money-apart.tsx';
import { BestSellers, type ChosenBestSellers, LowStock } from './product-lists.tsx';
import { RevenueChart } from './revenue-chart.tsx';

/** The top of an admin's dashboard. */
export function Overview({ loaded, chosen }: { loaded: Data; chosen?: ChosenBestSellers | undefined }) {
  const { timeZone = 'UTC' } = useSettings();
  const { overview, news } = useFreshOverview(loaded);
  const { hasOrders, readAt, days, currency, bestSellers, lowStock, late } = overview;
  return (
    <section aria-label="Overview" className="mb-16">
      <p className="mb-6 text-sm text-soft">
        Days are in {timeZone}. As of <Moment at={readAt} />
      </p>
      <p role="status" className="mb-3 font-medium text-verdigris">
        {news}
      </p>
      <Work overview={overview} />
      {hasOrders ? (
        <>
          <h2 className="mb-3 text-2xl">Sales</h2>
          <Sales overview={overview} />
          <MoneyApart overview={overview} />
          <RevenueChart days={days} currency={currency} />
          <div className="mt-12 grid gap-x-12 gap-y-12 lg:grid-cols-2">
            {late && <LateOrders late={late} />}
            <BestSellers {...(chosen ?? { bestSellers })} currency={currency} />
            <LowStock lowStock={lowStock} />
          </div>
        </>
      ) : (
        <EmptyState title="No orders yet">
          <p className="mb-6">
            Sales, a chart and the best sellers appear here after the first order. Start by adding your
            products.
          </p>
          <ButtonLink to={addProductPage}>Add a product</ButtonLink>
        </EmptyState>
      )}
    </section>
  );
}

/** The overview, refreshed while the page is visible. `news` is the number of new paid orders in words. */
function useFreshOverview(loaded: Data): { overview: Data; news: string } {
  const [latest, setLatest] = useState(loaded);
  const overview = latest.readAt > loaded.readAt ? latest : loaded;
  usePolling(async (signal) => {
    const read = await getSession().client.call('getOverview', { signal });
    if (!signal.aborted) setLatest(read);
  });
  // Count from the day on which the page was loaded: after midnight, both overviews still include that day.
  const paid = countOrders(overview, loaded.to) - countOrders(loaded, loaded.to);
  const news = paid <= 0 ? '' : paid === 1 ? '1 new paid order.' : `${paid} new paid orders.`;
  return { overview, news };
}

const countOrders = ({ days }: Data, since: string): number =>
  days.filter(({ date }) => date >= since).reduce((sum, { orders }) => sum + orders, 0);
