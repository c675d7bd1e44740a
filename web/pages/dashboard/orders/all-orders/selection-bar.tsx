import type { Order } from '../../../../../contract/orders/orders.ts';
import { maxPrinted } from '../../../../../contract/orders/print-limit.ts';
import { hasSlip } from '../../../../../contract/orders/to-ship.ts';
import {
  customsPage,
  invoicesPage,
  pickListPage,
  slipsPage,
} from '../../../../../contract/page-addresses.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { Link } from '../../../../components/link.tsx';
import { useSettings } from '../../../../shop.tsx';
import { countTools } from './list-sum.ts';

type Props = { selected: readonly Order[]; onShip: () => void; onClear: () => void };

/** The actions on the selected orders, at the bottom of the screen, within reach of a thumb. */
export function SelectionBar({ selected, onShip, onClear }: Props) {
  const { delivers } = useSettings();
  if (selected.length === 0) return null;
  const numbers = listNumbers(selected);
  // The page of slips says which orders are unpaid.
  const toPack = listNumbers(selected.filter((order) => !order.paid || hasSlip(order)));
  return (
    <section
      id="selection-bar"
      aria-label="Selected tools"
      className="bottom-bar sticky bottom-0 z-40 mt-6 flex flex-wrap items-center gap-2 border border-edge bg-leaf px-4 py-3 print:hidden"
    >
      <span className="mr-auto text-sm font-medium">{`${countTools(selected)} selected`}</span>
      <Button kind="plain" className="px-3!" onClick={onClear}>
        Clear selection
      </Button>
      {numbers.length > maxPrinted ? (
        <span className="text-sm text-soft">{`At most ${maxPrinted} orders can be printed at once.`}</span>
      ) : (
        <>
          {toPack.length > 0 && <PrintLink to={toSlips(toPack)}>Print slips</PrintLink>}
          {delivers && toPack.length > 0 && (
            <>
              <PrintLink to={`${pickListPage}?orders=${toPack.join(',')}`}>Pick list</PrintLink>
              <PrintLink to={`${customsPage}?orders=${toPack.join(',')}`}>Customs</PrintLink>
            </>
          )}
          <PrintLink to={`${invoicesPage}?orders=${numbers.join(',')}`}>Print invoices</PrintLink>
        </>
      )}
      <Button className="px-3!" onClick={onShip}>
        Ship selected…
      </Button>
    </section>
  );
}

/** A link within text to the packing slips of orders. It opens a new tab, like the links of the bar. */
export function SlipsLink({ orders }: { orders: readonly Order[] }) {
  const numbers = listNumbers(orders);
  if (numbers.length > maxPrinted) return null;
  return (
    <Link to={toSlips(numbers)} target="_blank" className="link py-0.5">
      {numbers.length === 1 ? 'Print slip' : 'Print slips'}
    </Link>
  );
}

const toSlips = (numbers: readonly string[]) => `${slipsPage}?orders=${numbers.join(',')}`;
const listNumbers = (orders: readonly Order[]) => [...new Set(orders.map(({ number }) => number))];

/** A link that opens a new tab, so that the selection remains: shipping these orders is the next step. */
const PrintLink = ({ to, children }: { to: string; children: string }) => (
  <ButtonLink kind="plain" className="px-3!" to={to} target="_blank">
    {children}
  </ButtonLink>
);
