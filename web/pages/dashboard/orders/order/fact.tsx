import type { ReactNode } from 'react';

/** A row of the list of facts at the top of a purchase's page. */
export function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-6 border-t border-rule py-3 first:border-0 @min-[32rem]:grid-cols-[12rem_1fr] @min-[32rem]:items-baseline">
      <dt className="text-soft">{term}</dt>
      <dd className="min-w-0 text-base whitespace-pre-line wrap-anywhere">{children}</dd>
    </div>
  );
}
