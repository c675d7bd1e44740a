import { useSyncExternalStore } from 'react';
import { Sign } from '../layout/sign.tsx';

/** Says while this device has no connection that nothing can be sent, and that nothing typed is lost. */
export function Offline() {
  const offline = useSyncExternalStore(
    listen,
    () => !navigator.onLine,
    () => false,
  );
  return (
    offline && (
      <p className="border-b border-ruby bg-leaf px-4 py-2 text-center text-sm font-medium text-ruby">
        <Sign name="wrong" className="mr-2" />
        You are offline. What you typed stays here; send it when the connection is back.
      </p>
    )
  );
}

function listen(onChange: () => void) {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}
