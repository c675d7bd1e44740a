import type { ComponentProps, ReactElement, ReactNode } from 'react';

type Props = {
  caption: ReactNode;
  /** Column titles or whole header cells. The titles in `numbers` are right-aligned. */
  columns: (string | ReactElement)[];
  numbers?: string[];
  children: ReactNode;
};

/** A table. Its rows are `<tr>`s of `Cell`s; in a narrow container, each row becomes a labelled card. */
export function Table({ caption, columns, numbers = [], children }: Props) {
  return (
    <div className="@container">
      <table className="ruled">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) =>
              typeof column === 'string' ? (
                <th key={column} scope="col" className={numbers.includes(column) ? 'number' : undefined}>
                  {column}
                </th>
              ) : (
                column
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/**
 * A table cell; `label` is the column title, shown beside the value on a card. My Orders, a long list, has plain `td`s
 * instead: a component per cell would account for a twentieth of the time to render that page.
 */
export function Cell({
  label,
  number = false,
  ...rest
}: ComponentProps<'td'> & { label?: string; number?: boolean }) {
  return <td {...rest} data-label={label} className={number ? 'number' : undefined} />;
}
