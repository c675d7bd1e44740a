import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { readReturnPath } from '../../client/route-access.ts';
import { Link } from '../../components/link.tsx';
import windingKey from '../../drawings/key.svg';
import { useAllStyles } from '../../shop.tsx';

/** The layout of the sign-in and sign-up pages. */
export function SignInLayout({ children }: { children: ReactNode }) {
  return (
    <div className="grid items-center gap-x-16 gap-y-4 max-md:-mt-6 md:grid-cols-2">
      <link rel="stylesheet" href={useAllStyles()} precedence="default" />
      <img
        src={windingKey}
        alt=""
        width={600}
        height={600}
        className="size-24 md:order-last md:size-full md:max-w-[28rem] md:justify-self-center"
      />
      <div className="w-full max-w-form">{children}</div>
    </div>
  );
}

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
