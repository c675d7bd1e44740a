import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { readReturnPath } from '../../client/route-access.ts';
import { BesideDrawing } from '../../components/beside-drawing.tsx';
import { Link } from '../../components/link.tsx';
import windingKey from '../../drawings/key.svg';

/** The layout of the sign-in and sign-up pages. */
export const SignInLayout = ({ children }: { children: ReactNode }) => (
  <BesideDrawing drawing={windingKey}>{children}</BesideDrawing>
);

/** A question and a link to another of these pages, preserving `?from=`. */
export function SwitchFormLink({
  question,
  to,
  children,
}: {
  question: string;
  to: string;
  children: string;
}) {
  const [search] = useSearchParams();
  const from = search.has('from') ? `?from=${encodeURIComponent(readReturnPath(search.get('from')))}` : '';
  return (
    <p className="mt-6 text-sm">
      {question}{' '}
      <Link to={to + from} className="link link-alone">
        {children}
      </Link>
    </p>
  );
}
