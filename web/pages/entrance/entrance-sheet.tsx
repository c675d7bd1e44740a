import type { ReactNode } from 'react';
import { useDrawing } from '../../shop.tsx';

/** The sign-in and sign-up forms, beside the movement that they open. */
export function EntranceSheet({ children }: { children: ReactNode }) {
  return (
    <div className="grid items-center gap-16 md:grid-cols-2">
      <div className="w-full max-w-form">{children}</div>
      <img
        src={useDrawing('movement.svg')}
        alt=""
        width={640}
        height={640}
        className="hidden w-full max-w-[32rem] md:block"
      />
    </div>
  );
}
