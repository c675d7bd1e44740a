import type { ReactNode } from 'react';
import { PageHead } from './page-head.tsx';

type Props = {
  /** The page's title and, unless there are `children`, its heading. */
  title: string;
  description: string;
  /** A label above the heading, such as "Plate II". */
  label?: string;
  children?: ReactNode;
};

/** The page's title, description and `h1`, which takes the focus after a navigation. */
export function PageHeading({ title, description, label, children }: Props) {
  return (
    <>
      <PageHead title={title} description={description} />
      {label && <p className="caps mb-2 text-brass">{label}</p>}
      <h1 tabIndex={-1} className="mb-8 text-3xl">
        {children ?? title}
      </h1>
    </>
  );
}
