import type { Facts } from '../../../../../contract/admin/health.ts';
import { formatCount } from '../../../../../contract/admin/health-format.ts';
import { Moment } from '../../../../components/moment.tsx';
import { Cell, Table } from '../../../../components/table.tsx';

/** Errors by kind, with the id of the last request that failed, for searching the log. */
export function Errors({ errors: { count, kinds } }: { errors: Facts['errors'] }) {
  if (count === 0) return <p className="border-t border-rule pt-3 text-soft">None.</p>;
  return (
    <Table
      caption="Errors, most recent first"
      columns={['Error', 'Last', 'Count', 'Last request id']}
      numbers={['Count']}
    >
      {kinds.map(({ what, times, lastAt, requestId }) => (
        <tr key={what}>
          <Cell>
            <span className="block wrap-anywhere sm:min-w-52">{capitalize(what)}</span>
          </Cell>
          <Cell label="Last">
            <Moment at={lastAt} />
          </Cell>
          <Cell label="Count" number>
            {formatCount(times)}
          </Cell>
          <Cell label="Last request id">
            <span className="block min-w-0 wrap-anywhere">{requestId ?? '–'}</span>
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

/** Log messages start with a lower-case letter. */
const capitalize = (what: string) => what.charAt(0).toUpperCase() + what.slice(1);
