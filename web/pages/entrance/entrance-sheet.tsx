import type { ReactNode } from 'react';
import { useMovement } from '../../shop.tsx';

/** The sign-in and sign-up forms, beside the movement that they open. */
export function EntranceSheet({ children }: { children: ReactNode }) {
  return (
    <div className="grid items-center gap-16 md:grid-cols-2">
      <div className="w-full max-w-form">{children}</div>
      <img
        src={useMovement()}
        alt=""
        width={640}
        height={640}
        className="hidden w-full max-w-[32rem] md:block"
      />
    </div>
  );
}
