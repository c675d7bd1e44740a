import { useSyncExternalStore } from 'react';
import { Icon } from '../layout/icon.tsx';

/** A banner that is shown while the device is offline. */
export function Offline() {
  return (
    useOffline() && (
      <p className="border-b border-ruby bg-leaf px-4 py-2 text-center text-sm font-medium text-ruby">
        <Icon name="wrong" className="mr-2" />
        You are offline. Nothing you typed is lost; send it when you are back online.
      </p>
    )
  );
}

/** Whether the device is offline. */
export const useOffline = (): boolean =>
  useSyncExternalStore(
    listen,
    () => !navigator.onLine,
    () => false,
  );

function listen(onChange: () => void) {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}
