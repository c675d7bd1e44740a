import type { ReactNode } from 'react';

type Props = {
  /** The text that each printed page repeats above the table, such as the number of the order. */
  note: string;
  caption: string;
  /** The titles of the columns. */
  columns: readonly string[];
  /** The titles of the columns with numbers, which are right-aligned. */
  numberColumns: readonly string[];
  /** A column that phones do not show. */
  wideOnly?: string;
  /** The rows. */
  children: ReactNode;
  /** Rows below a line, which stay together. */
  totals?: ReactNode;
};

/**
 * The lines of a purchase. Each printed page repeats the head with the note, in case the sheets get mixed up. No
 * row is split, and the totals are on the same page as at least the last row.
 */
export function LineTable({ note, caption, columns, numberColumns, wideOnly, children, totals }: Props) {
  return (
    <div className="@container">
      <table className="line-table figures w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead className="break-inside-avoid">
          {/* Repeated on every printed page. */}
          <tr className="hidden print:table-row">
            <td colSpan={columns.length} className="pb-1.5 text-right text-xs">
              {note}
            </td>
          </tr>
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className={`border-b-2 pb-1.5 align-bottom font-medium ${numberColumns.includes(column) ? 'number' : ''} ${column === wideOnly ? 'max-sm:hidden' : ''}`}
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
