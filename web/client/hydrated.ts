import { useSyncExternalStore } from 'react';

const subscribe = () => () => {};

/** False on the server and while the browser takes its page over, so that both render the same; then true. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
