import { useEffect } from 'react';

/**
 * While the component is mounted, the browser's Back calls `close` instead of leaving the page. This adds a history entry with
 * a copy of the page's state, which the router never sees.
 */
export function useBackToClose(close: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entry belongs to the mounted component
  useEffect(() => {
    const openedAt = performance.now();
    history.pushState({ ...history.state, openedAt }, '');
    function handlePop(event: PopStateEvent): void {
      // Keep the event from the router, which would load the page again.
      event.stopImmediatePropagation();
      removeEventListener('popstate', handlePop, true);
      isGone = true;
      close();
    }
    let isGone = false;
    addEventListener('popstate', handlePop, true);
    return () => {
      if (isGone) return;
      // The component was closed in another way: remove its entry if that is still the current one.
      if (history.state?.openedAt === openedAt) history.back();
      else removeEventListener('popstate', handlePop, true);
    };
  }, []);
}
