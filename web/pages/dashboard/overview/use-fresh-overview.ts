import { useEffect, useState } from 'react';
import type { Overview } from '../../../../contract/overview.ts';
import { getSession } from '../../../client/session.ts';

const pollMs = 5000;

/**
 * The overview, refreshed every few seconds while the page is visible. The browser revalidates its cached copy, so an
 * unchanged overview is a 304 that costs the server one cheap statement. `news` is the number of new paid orders in words.
 */
export function useFreshOverview(loaded: Overview): { overview: Overview; news: string } {
  const [overview, setOverview] = useState(loaded);
  useEffect(() => setOverview(loaded), [loaded]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reading: AbortController | undefined;

    async function read(): Promise<void> {
      const controller = new AbortController();
      reading = controller;
      try {
        const read = await getSession().client.call('getOverview', { signal: controller.signal });
        if (!controller.signal.aborted) setOverview((shown) => (read.readAt > shown.readAt ? read : shown));
      } catch {
        // Offline or signed out: the next attempt or the next click shows it.
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
  // The sum of both periods, because a new day moves a day from one to the other.
  const paid = countOrders(overview) - countOrders(loaded);
  const news = paid <= 0 ? '' : paid === 1 ? '1 new paid order.' : `${paid} new paid orders.`;
  return { overview, news };
}

const countOrders = ({ total, before }: Overview): number => total.orders + before.orders;
