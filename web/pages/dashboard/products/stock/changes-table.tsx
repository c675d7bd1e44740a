import type { StockChange, StockReason } from '../../../../../contract/catalogue/stock.ts';
import { managedProductPages, orderPages } from '../../../../../contract/page-addresses.ts';
import { Link } from '../../../../components/link.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { Cell, Table } from '../../../../components/table.tsx';
import { Email } from '../../email.tsx';

export const stockReasonLabels: Record<StockReason, string> = {
  delivery: 'Delivery',
  return: 'Return',
  damage: 'Damage or loss',
  count: 'Count',
  other: 'Other',
  opening: 'Opening stock',
  sale: 'Sold',
  order_deleted: 'Order deleted',
  hold_expired: 'Not paid in time',
  late_payment: 'Payment found later',
  restock: 'Returned with a refund',
};

/** The reasons of changes that a customer has made, unless the change names an admin. */
const customerReasons: StockReason[] = ['sale', 'order_deleted', 'late_payment'];

/** With a sign: +5 or −2. */
export const formatChange = (change: number): string =>
  change < 0 ? `−${-change}` : change > 0 ? `+${change}` : '0';

/** Stock changes, newest first. `showProducts` adds a column with the product. */
export function ChangesTable({
  rows,
  caption,
  showProducts = false,
}: {
  rows: StockChange[];
  caption: string;
  showProducts?: boolean;
}) {
  const columns = [...(showProducts ? ['Product'] : []), 'Reason', 'Change', 'In stock', 'By', 'Time'];
  return (
    <Table caption={caption} columns={columns} numbers={['Change', 'In stock']}>
      {rows.map((row) => (
        <ChangeRow key={row._id} row={row} showProducts={showProducts} />
      ))}
    </Table>
  );
}

function ChangeRow({ row, showProducts }: { row: StockChange; showProducts: boolean }) {
  const { product, name, change, level, reason, note, who, number, createdAt } = row;
  return (
    <tr>
      {showProducts && (
        <Cell>
          <Link
            to={`${managedProductPages}/${product}/stock`}
            className="link block w-fit font-serif text-lg leading-tight wrap-anywhere max-sm:link-alone xl:min-w-52"
          >
            {name}
          </Link>
        </Cell>
      )}
      <Cell {...(showProducts ? { label: 'Reason' } : {})}>
        <span className="block min-w-0 wrap-anywhere">
          <span className={showProducts ? 'block' : 'block font-serif text-lg leading-tight'}>
            {stockReasonLabels[reason]}
          </span>
          {number && (
            <Link to={`${orderPages}/${number}`} className="link py-0.5 whitespace-nowrap max-sm:link-alone">
              {`Order ${number}`}
            </Link>
          )}
          {note && <span className="block whitespace-pre-line text-soft">{note}</span>}
        </span>
      </Cell>
      <Cell label="Change" number>
        <span className={change < 0 ? '' : 'text-verdigris'}>{formatChange(change)}</span>
      </Cell>
      <Cell label="In stock" number>
        {level}
      </Cell>
      <Cell label="By">
        <span className="block wrap-anywhere sm:min-w-36 xl:min-w-44">
          {who ? <Email>{who}</Email> : customerReasons.includes(reason) ? 'The customer' : 'The shop'}
        </span>
      </Cell>
      <Cell label="Time">
        <Moment at={createdAt} />
      </Cell>
    </tr>
  );
}
