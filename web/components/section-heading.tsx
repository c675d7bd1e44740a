import type { ReactNode } from 'react';

/** A section's label, title and optional link. */
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
