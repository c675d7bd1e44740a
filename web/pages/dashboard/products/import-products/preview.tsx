import type { ReactNode } from 'react';
import { isMoneyField } from '../../../../../contract/catalogue/product-fields.ts';
import type {
  ChangedRow,
  ImportReport,
  RowMessage,
} from '../../../../../contract/catalogue/product-import.ts';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { Cell, Table } from '../../../../components/table.tsx';
import { useMoney } from '../../../../shop.tsx';
import {
  describeArchived,
  describeCounts,
  describeDelivered,
  describeDelivery,
  describeErrors,
  describeMore,
  describePrices,
  labelOf,
} from './columns.ts';
import { formatRows, groupMessages } from './grouped-messages.ts';

type Props = {
  report: ImportReport;
  /** The page asks what the file's headings mean. */
  hasMenus: boolean;
  /** Rows that match no product are skipped. */
  skips: boolean;
  /** Below the summary. */
  children: ReactNode;
};

/** A file's errors, then its new and changed products. */
export function ImportPreview({ report, hasMenus, skips, children }: Props) {
  const { errors, errorCount, notes, noteCount, rows, create, update, changed, unmatched } = report;
  return (
    <>
      {errorCount > 0 ? (
        <Notice error>{describeErrors(report, { hasMenus, skips })}</Notice>
      ) : (
        <Notice announced done={create + update > 0}>
          {create + update > 0
            ? describeCounts(report)
            : unmatched > 0
              ? `Nothing would change. ${describeCounts(report)}`
              : 'Nothing would change: the shop has these values already.'}
        </Notice>
      )}
      {children}
      {report.earlier && (
        <Notice>
          This file was already imported by <span className="wrap-anywhere">{report.earlier.by}</span> on{' '}
          <Moment at={report.earlier.at} />
        </Notice>
      )}
      {report.encoding === 'windows-1252' && (
        <Notice>
          This file is not UTF-8 and was read as Windows-1252. Check letters such as é, ü and ½ below. If they
          are wrong, save the file as “CSV UTF-8” and choose it again.
        </Notice>
      )}
      {changed.price !== undefined && <Notice>{describePrices(changed.price)}</Notice>}
      {changed.archived !== undefined && <Notice>{describeArchived(changed.archived)}</Notice>}
      {errorCount === 0 && report.delivered > 0 && <Notice>{describeDelivered(report)}</Notice>}
      <MessageTable title="Errors" messages={errors} total={errorCount} />
      {rows.length > 0 && (
        <section className="mb-8">
          <h3 className="mb-2 text-lg">Changes</h3>
          <Table caption="New and changed products" columns={['Row', 'Product', 'Changes']} numbers={['Row']}>
            {rows.map((row) => (
              <ChangeRow key={row.row} change={row} />
            ))}
          </Table>
          <MoreNote shown={rows.length} total={create + update} noun="product" />
        </section>
      )}
      <MessageTable title="Please note" messages={notes} total={noteCount} />
    </>
  );
}

function ChangeRow({ change: { row, action, name, changes } }: { change: ChangedRow }) {
  const isNew = action === 'create';
  const money = useMoney();
  const format = (field: string, value: string) =>
    isMoneyField(field) && value ? money.table(Number(value)) : value;
  return (
    <tr>
      <Cell label="Row" number>
        {row}
      </Cell>
      <Cell label="Product">
        <span>
          <span className="block font-serif text-lg leading-tight wrap-anywhere">{name}</span>
          {isNew && <StatusBadge tone="done">New</StatusBadge>}
        </span>
      </Cell>
      <Cell label="Changes">
        <ul>
          {changes.map(({ field, before, after }) => (
            <li key={field} className="wrap-anywhere">
              <span className="text-soft">{labelOf(field)}: </span>
              {field === 'delivery' ? (
                describeDelivery(before, after)
              ) : (
                <Change isNew={isNew} before={format(field, before)} after={format(field, after)} />
              )}
            </li>
          ))}
        </ul>
      </Cell>
    </tr>
  );
}

function Change({ isNew, before, after }: { isNew: boolean; before: string; after: string }) {
  return (
    <>
      {!isNew && (
        <>
          <del className="text-soft">{before || 'none'}</del> <span className="sr-only">becomes</span>{' '}
        </>
      )}
      <ins className="no-underline">{after || 'none'}</ins>
    </>
  );
}

type MessageTableProps = { title: string; messages: RowMessage[]; total: number };

function MessageTable({ title, messages, total }: MessageTableProps) {
  if (messages.length === 0) return null;
  return (
    <section className="mb-8">
      <h3 className="mb-2 text-lg">{title}</h3>
      <Table caption={title} columns={['Row', 'Column', 'Message']}>
        {groupMessages(messages).map(({ rows, field, message }) => (
          <tr key={`${field} ${message}`}>
            <Cell label={rows.length > 1 ? 'Rows' : 'Row'}>{formatRows(rows)}</Cell>
            <Cell label="Column">{labelOf(field)}</Cell>
            <Cell label="Message">{message}</Cell>
          </tr>
        ))}
      </Table>
      <MoreNote shown={messages.length} total={total} noun="message" />
    </section>
  );
}

const MoreNote = ({ shown, total, noun }: { shown: number; total: number; noun: string }) =>
  total > shown && <p className="mt-3 text-soft">{describeMore(total - shown, noun)}</p>;
