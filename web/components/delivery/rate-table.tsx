import type { Rate } from '../../../contract/delivery/shipping-rates.ts';
import { useMoney } from '../../shop.tsx';
import { Cell, Table } from '../table.tsx';
import { describeDays, describeLimits } from './rate-texts.ts';

/** The rates of a zone: what each costs, for which parcels, and how long they take. */
export function RateTable({ caption, rates }: { caption: string; rates: readonly Rate[] }) {
  const money = useMoney();
  return (
    <Table caption={caption} columns={['Delivery', 'For', 'Takes', 'Price']} numbers={['Price']}>
      {rates.map((rate) => (
        <tr key={rate._id ?? rate.name}>
          <Cell>
            <span>
              <span className="font-medium">{rate.name}</span>
              {rate.pickup && <span className="block text-sm text-soft">{`Collect it: ${rate.pickup}`}</span>}
            </span>
          </Cell>
          <Cell label="For">{describeLimits(rate, money.charged) || 'Every order'}</Cell>
          <Cell label="Takes">{describeDays(rate) || '–'}</Cell>
          <Cell label="Price" number>
            <span>
              {rate.price === 0 ? 'Free' : money.charged(rate.price)}
              {rate.price > 0 && rate.freeFrom !== undefined && (
                <span className="block text-sm text-soft">{`free from ${money.charged(rate.freeFrom)}`}</span>
              )}
            </span>
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
