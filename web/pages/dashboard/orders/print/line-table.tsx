import type { ReactNode } from 'react';

type Props = {
  number: string;
  caption: string;
  /** Column titles; those in `numbers` are right-aligned. */
  columns: readonly string[];
  numbers: readonly string[];
  /** A column that phones do not show. */
  wideOnly?: string;
  /** The rows. */
  children: ReactNode;
  /** Rows below a line, which stay together. */
  totals?: ReactNode;
};

/**
 * The lines of a purchase. Each printed page repeats the head with the purchase's number, in case the sheets get mixed up. No
 * row is split, and the totals are on the same page as at least the last row.
 */
export function LineTable({ number, caption, columns, numbers, wideOnly, children, totals }: Props) {
  return (
    <div className="@container">
      <table className="line-table figures w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead className="break-inside-avoid">
          <tr>
            <td colSpan={columns.length} className="pb-1.5 text-right text-xs">{`Order ${number}`}</td>
          </tr>
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className={`border-b-2 pb-1.5 align-bottom font-medium ${numbers.includes(column) ? 'number' : ''} ${column === wideOnly ? 'max-sm:hidden' : ''}`}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
        {totals && <tbody className="break-before-avoid break-inside-avoid border-t-2">{totals}</tbody>}
      </table>
    </div>
  );
}
