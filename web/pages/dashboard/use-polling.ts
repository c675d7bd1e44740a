import { useEffect, useEffectEvent } from 'react';
import { ApiError } from '../../client/api/client.ts';

const pollMs = 5000;

/**
 * Calls `read` every few seconds while the page is visible and `isOn`. Calls are conditional: the browser revalidates its cached
 * copy, so an unchanged response is a 304 that costs the server one cheap statement. Errors are ignored, but polling ends
 * once the user is signed out: the next click tells them.
 */
export function usePolling(read: (signal: AbortSignal) => Promise<void>, isOn = true): void {
  const readNow = useEffectEvent(read);
  useEffect(() => {
    if (!isOn) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reading: AbortController | undefined;

    async function poll(): Promise<void> {
      const controller = new AbortController();
      reading = controller;
      try {
        await readNow(controller.signal);
      } catch (error) {
        if (error instanceof ApiError && error.problem.status === 401) return;
      }
      if (!controller.signal.aborted) timer = setTimeout(poll, pollMs);
    }
    function stop(): void {
      clearTimeout(timer);
      reading?.abort();
    }
    function followVisibility(): void {
      stop();
      if (document.visibilityState === 'visible') void poll();
    }
    timer = setTimeout(followVisibility, pollMs);
    document.addEventListener('visibilitychange', followVisibility);
    return () => {
      document.removeEventListener('visibilitychange', followVisibility);
      stop();
    };
  }, [isOn]);
}
