import type { ReactNode } from 'react';
import { Sign } from '../components/layout/sign.tsx';

/** What was refused, in red, under the form or field that it is about. */
export function Refusal({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className="mt-1.5 text-sm font-medium text-ruby">
      <Sign name="wrong" className="mr-2" />
      {children}
    </p>
  );
}
