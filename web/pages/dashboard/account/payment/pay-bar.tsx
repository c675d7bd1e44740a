import type { ReactNode, RefObject } from 'react';
import { useIntersection } from '../../../../client/use-intersection.ts';

type Props = {
  total: string;
  /** The page's own button. */
  button: RefObject<HTMLButtonElement | null>;
  children: ReactNode;
};

/** On phones, a bar with the total and a way to continue, while the page's own button is outside the window. */
export function PayBar({ total, button, children }: Props) {
  const isInView = useIntersection(button)?.isIntersecting;
  if (isInView) return null;
  return (
    <div className="buy-bar figures noscript:hidden">
      <p className="min-w-0 grow leading-tight">
        <span className="block text-sm text-soft">Total</span>
        <span className="font-serif text-lg">{total}</span>
      </p>
      {children}
    </div>
  );
}
