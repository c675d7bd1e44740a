import type { ReactNode } from 'react';
import { PageHead } from './page-head.tsx';

type Props = {
  /** The page's name, in the tab and, unless `children` say it otherwise, as its heading. */
  title: string;
  description: string;
  /** The catalogue's label over it, such as "Plate II". */
  label?: string;
  children?: ReactNode;
};

/** The heading that a page starts with. It takes the focus when somebody comes here by a link. */
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
