import { useState } from 'react';
import type { Overview } from '../../../../../contract/admin/overview.ts';
import { getSession } from '../../../../client/session.ts';
import { usePolling } from '../../use-polling.ts';

/** The overview, refreshed while the page is visible. `news` is the number of new paid orders in words. */
export function useFreshOverview(loaded: Overview): { overview: Overview; news: string } {
  const [latest, setLatest] = useState(loaded);
  const overview = latest.readAt > loaded.readAt ? latest : loaded;
  usePolling(async (signal) => {
    const read = await getSession().client.call('getOverview', { signal });
    if (!signal.aborted) setLatest(read);
  });
  // Since the day of the load: both have that day, even after midnight.
  const paid = countOrders(overview, loaded.to) - countOrders(loaded, loaded.to);
  const news = paid <= 0 ? '' : paid === 1 ? '1 new paid order.' : `${paid} new paid orders.`;
  return { overview, news };
}

const countOrders = ({ days }: Overview, since: string): number =>
  days.filter(({ date }) => date >= since).reduce((sum, { orders }) => sum + orders, 0);
