import { useSearchParams } from 'react-router';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { hasSlip } from '../../../../../contract/orders/to-ship.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Moment } from '../../../../components/moment.tsx';
import { useSettings } from '../../../../shop.tsx';
import { PrintLinks } from '../print/print-links.tsx';
import { AddressFact, CustomerFact } from './customer-facts.tsx';
import { canChangeDelivery, findAddressChange } from './delivery.ts';
import { DeliveryForm } from './delivery-form.tsx';
import { Fact } from './fact.tsx';
import { PaymentFacts } from './payment-fact.tsx';
import { ShipToForm } from './ship-to-form.tsx';

type Props = {
  purchase: Purchase;
  viewer: Viewer;
  /** The names of the countries that its address can be corrected to, by code; only while that is open. */
  countries: Record<string, string> | undefined;
};

/** A purchase's facts, with the form that changes its delivery details and the links to what can be printed. */
export function OrderFacts({ purchase, viewer, countries }: Props) {
  const [search] = useSearchParams();
  const { delivers } = useSettings();
  const { number, orders, createdAt } = purchase;
  const [order] = orders;
  if (!order) return null;
  const isAdmin = viewer.role === 'admin';
  const canChange = canChangeDelivery(purchase, viewer);
  return (
    <div className="@container">
      <dl className="figures mb-6 border-t-2 border-b border-t-edge border-b-rule text-sm">
        <Fact term="Ordered">
          <Moment at={createdAt} />
        </Fact>
        {isAdmin && <CustomerFact order={order} />}
        <AddressFact
          order={order}
          pickup={purchase.pickup}
          isAdmin={isAdmin}
          canChange={canChange}
          isAtCheckout={delivers === true && !order.paid && order.user === viewer.email}
          changedAt={isAdmin ? findAddressChange(purchase) : undefined}
        />
        {purchase.remark && <Fact term="Remark">{purchase.remark}</Fact>}
        <PaymentFacts purchase={purchase} viewer={viewer} />
      </dl>
      {canChange && search.get('edit') === 'delivery' && (
        <section aria-labelledby="delivery" className="mb-10 border-t-2 border-edge pt-4 print:hidden">
          <h2 id="delivery" className="mb-4 text-xl">
            Change the delivery details
          </h2>
          {purchase.shipTo && countries ? (
            <ShipToForm purchase={purchase} shipTo={purchase.shipTo} countries={countries} viewer={viewer} />
          ) : (
            <DeliveryForm order={order} viewer={viewer} />
          )}
        </section>
      )}
      {order.paid && <PrintLinks number={number} hasSlip={isAdmin && orders.some(hasSlip)} />}
    </div>
  );
}
