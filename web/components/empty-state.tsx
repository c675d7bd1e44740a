import type { ReactNode } from 'react';

/** Where there is nothing yet: says so, and what to do about it. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="border border-rule bg-leaf px-6 py-12 text-center">
      <h2 className="mb-2 text-xl">{title}</h2>
      <div className="mx-auto max-w-text text-soft">{children}</div>
    </div>
  );
}
