import type { Order } from '../../../../contract/orders.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';

type Props = { selected: readonly Order[]; onShip: () => void; onClear: () => void };

/** The actions on the selected orders, at the bottom of the screen, within reach of a thumb. */
export function SelectionBar({ selected, onShip, onClear }: Props) {
  if (selected.length === 0) return null;
  const numbers = [...new Set(selected.map(({ number }) => number))].join(',');
  return (
    <section
      aria-label="Selected orders"
      className="sticky bottom-0 z-40 mt-6 flex flex-wrap items-center gap-3 border border-edge bg-leaf px-4 py-3 print:hidden"
    >
      <span className="mr-auto text-sm font-medium">{`${selected.length} selected`}</span>
      <Button kind="plain" onClick={onClear}>
        Clear selection
      </Button>
      <ButtonLink kind="plain" to={`/dashboard/print/slips?orders=${numbers}`}>
        Print slips
      </ButtonLink>
      <ButtonLink kind="plain" to={`/dashboard/print/invoices?orders=${numbers}`}>
        Print invoices
      </ButtonLink>
      <Button onClick={onShip}>Ship selected…</Button>
    </section>
  );
}
