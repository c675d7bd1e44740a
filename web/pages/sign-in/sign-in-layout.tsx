import type { ReactNode } from 'react';
import { useMovement } from '../../shop.tsx';

/** The layout of the sign-in and sign-up pages. */
export function SignInLayout({ children }: { children: ReactNode }) {
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
