import { SectionHeading } from '../../components/section-heading.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Cell, Table } from '../../components/table.tsx';
import { useMoney } from '../../shop.tsx';

/** The specified static sample; real orders are private. The prices come from the demo catalogue. */
export const sampleOrders = [
  ['Mainspring winder', 'Leeds', 2, 336, 'Shipped'],
  ['Bushing set with reamers', 'Besançon', 3, 357, 'Shipped'],
  ['Truing callipers, figure of eight', 'Glashütte', 5, 167.5, 'Paid'],
  ['Depthing tool', 'Waltham', 1, 285, 'Paid'],
] as const;

const columns = ['Tool', 'Ship to', 'Quantity', 'Total', 'Status'];

export function RecentOrders() {
  const money = useMoney();
  return (
    <section>
      <SectionHeading label="Plate IV" title="Recent orders">
        <p className="text-sm text-soft">Sample data.</p>
      </SectionHeading>
      <Table caption="Recent orders, a sample" columns={columns} numbers={['Quantity', 'Total']}>
        {sampleOrders.map(([tool, town, quantity, total, state]) => (
          <tr key={tool}>
            <Cell label="Tool">
              <span className="font-serif text-lg">{tool}</span>
            </Cell>
            <Cell label="Ship to">{town}</Cell>
            <Cell label="Quantity" number>
              {quantity}
            </Cell>
            <Cell label="Total" number>
              {money.table(total)}
            </Cell>
            <Cell label="Status">
              <StatusBadge tone="done">{state}</StatusBadge>
            </Cell>
          </tr>
        ))}
      </Table>
    </section>
  );
}
