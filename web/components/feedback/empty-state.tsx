import type { ReactNode } from 'react';

/** A placeholder for an empty list: a drawing of empty hooks, a title and what to do next. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="border border-rule bg-leaf px-[6%] py-12 text-center">
      <svg
        viewBox="0 0 120 36"
        className="mx-auto mb-6 w-40 max-w-full fill-none stroke-soft"
        aria-hidden="true"
      >
        <path
          d="M4 4h112v7H4zM20 11v9a5 5 0 0 0 10 0M52 11v9a5 5 0 0 0 10 0M84 11v9a5 5 0 0 0 10 0"
          strokeWidth="1.5"
        />
        <path d="M10 7.5h.01M110 7.5h.01" className="stroke-brass" strokeWidth="3" strokeLinecap="round" />
      </svg>
      <h2 className="mb-2 text-xl">{title}</h2>
      <div className="mx-auto max-w-text text-soft">{children}</div>
    </div>
  );
}
