import { formatCount, formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Overview } from '../../../../../contract/admin/overview.ts';
import { formatDays } from '../../../../../contract/moment.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { Row } from './product-lists.tsx';

/** The orders that will arrive later than promised. */
export function LateOrders({ late: { purchases, first } }: { late: NonNullable<Overview['late']> }) {
  const more = purchases - first.length;
  return (
    <section>
      <h2 className="mb-3 text-2xl">Late orders</h2>
      <p className="mb-3 text-sm text-soft">
        {`${formatQuantity(purchases, 'order')} not sent in time to arrive as promised.`}
      </p>
      <ul>
        {first.map(({ number, sendBy, promised }) => (
          <Row key={number} to={`${orderPages}/${number}`} name={`Order ${number}`}>
            {`to be sent by ${formatDays(sendBy, sendBy)}, promised by ${formatDays(promised, promised)}`}
          </Row>
        ))}
      </ul>
      {more > 0 && <p className="mt-3 text-sm text-soft">{`and ${formatCount(more)} more`}</p>}
    </section>
  );
}
