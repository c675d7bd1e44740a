import type { ReactNode } from 'react';

/** The head of a part of a page: its label in the catalogue, its name, and where it leads. */
export function SectionHeading({
  label,
  title,
  children,
}: {
  label: string;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className="mb-6 flex flex-wrap items-baseline justify-between gap-x-8 gap-y-2">
      <h2 className="text-2xl">
        <span className="caps mb-1 block font-sans text-brass">{label}</span>
        {title}
      </h2>
      {children}
    </div>
  );
}
