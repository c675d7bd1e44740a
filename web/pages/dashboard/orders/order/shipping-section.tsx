import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { ShippingForm } from './shipping-form.tsx';

/** Ships the paid orders that have not been shipped yet. */
export function ShippingSection({ orders, viewer }: { orders: Order[]; viewer: Viewer }) {
  const [first, ...others] = orders;
  if (!first) return null;
  const { address, disputed, user } = first;
  return (
    <section aria-labelledby="shipping" className="mb-10 border-t-2 border-edge pt-4 print:hidden">
      <h2 id="shipping" className="mb-4 text-xl">
        Ship
      </h2>
      {disputed && (
        <Notice>The payment is disputed. If the bank sides with the customer, the money is lost.</Notice>
      )}
      {!address && <Notice>{`The customer gave no address. Write to ${user} first and ask for one.`}</Notice>}
      {/* A new form once some have been shipped. */}
      <ShippingForm key={orders.length} orders={[first, ...others]} viewer={viewer} />
    </section>
  );
}
