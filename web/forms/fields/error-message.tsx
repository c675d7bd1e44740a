import type { ReactNode } from 'react';
import { Icon } from '../../components/layout/icon.tsx';

/** An error message below a form or field. */
export function ErrorMessage({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className="mt-1.5 flex items-baseline gap-2 text-sm font-medium text-ruby">
      <Icon name="wrong" />
      <span>{children}</span>
    </p>
  );
}
