import { useEffect, useState } from 'react';
import type { Overview } from '../../../../../contract/admin/overview.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { getSession } from '../../../../client/session.ts';

const pollMs = 5000;

/**
 * The overview, refreshed every few seconds while the page is visible. The browser revalidates its cached copy, so an
 * unchanged overview is a 304 that costs the server one cheap statement. `news` is the number of new paid orders in words.
 */
export function useFreshOverview(loaded: Overview): { overview: Overview; news: string } {
  const [latest, setLatest] = useState(loaded);
  const overview = latest.readAt > loaded.readAt ? latest : loaded;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reading: AbortController | undefined;

    async function read(): Promise<void> {
      const controller = new AbortController();
      reading = controller;
      try {
        const read = await getSession().client.call('getOverview', { signal: controller.signal });
        if (!controller.signal.aborted) setLatest(read);
      } catch (error) {
        // Signed out: the next click shows it.
        if (error instanceof ApiError && error.problem.status === 401) return;
      }
      if (!controller.signal.aborted) timer = setTimeout(read, pollMs);
    }
    function stop(): void {
      clearTimeout(timer);
      reading?.abort();
    }
    function followVisibility(): void {
      stop();
      if (document.visibilityState === 'visible') void read();
    }
    timer = setTimeout(followVisibility, pollMs);
    document.addEventListener('visibilitychange', followVisibility);
    return () => {
      document.removeEventListener('visibilitychange', followVisibility);
      stop();
    };
  }, []);
  // Since the day of the load: both have that day, even after midnight.
  const paid = countOrders(overview, loaded.to) - countOrders(loaded, loaded.to);
  const news = paid <= 0 ? '' : paid === 1 ? '1 new paid order.' : `${paid} new paid orders.`;
  return { overview, news };
}

const countOrders = ({ days }: Overview, since: string): number =>
  days.filter(({ date }) => date >= since).reduce((sum, { orders }) => sum + orders, 0);
