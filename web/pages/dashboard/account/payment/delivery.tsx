import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { formatDays } from '../../../../../contract/moment.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { Link } from '../../../../components/link.tsx';
import { useRejectedForm } from '../../../../forms/use-rejected-form.ts';
import { useMoney } from '../../../../shop.tsx';
import { canChangeDelivery, deliveryForm } from '../../orders/order/delivery.ts';
import { DeliveryForm, deliverySaved, MissingAddressForm } from '../../orders/order/delivery-form.tsx';
import { describeAmount } from './charge-lines.tsx';

type Props = {
  purchase: Purchase;
  order: Order;
  viewer: Viewer;
  /** Ask for the address, because the order has none. */
  isAsking: boolean;
  /** Link to the form that changes the details, where they can be changed. */
  hasLink: boolean;
  onContinue: () => void;
};

/** Where an order goes, and the form that changes it until the parcel leaves. */
export function PaymentDelivery({ purchase, order, viewer, isAsking, hasLink, onContinue }: Props) {
  const [search] = useSearchParams();
  const canChange = canChangeDelivery(purchase, viewer);
  const { userName, address, phone } = order;
  const { pickup } = purchase;
  // An address in parts is corrected on the order page.
  const isEditing = canChange && !purchase.shipTo && search.get('edit') === 'delivery';
  const isRejected = useRejectedForm(deliveryForm.name) !== undefined;
  const hasForm = isEditing || (canChange && isAsking);
  useEffect(() => {
    // The form is gone, with the button that may have had the focus.
    if (!hasForm) return;
    return () => {
      if (document.activeElement === document.body) document.getElementById('change-delivery')?.focus();
    };
  }, [hasForm]);
  return (
    <section aria-labelledby="delivery" className="border-t-2 border-edge pt-4">
      <h2 id="delivery" className="mb-3 text-xl">
        {pickup ? 'Where to collect it' : 'Where to send it'}
      </h2>
      {search.get('done') === 'delivery' && !isRejected && <Notice done>{deliverySaved}</Notice>}
      {isEditing ? (
        <DeliveryForm order={order} viewer={viewer} isPaying />
      ) : hasForm ? (
        <MissingAddressForm order={order} viewer={viewer}>
          <Button kind="plain" className="noscript:hidden" onClick={onContinue}>
            Continue without an address
          </Button>
        </MissingAddressForm>
      ) : (
        <>
          <p className="whitespace-pre-line wrap-anywhere">
            {[userName, pickup ? `Collect it: ${pickup}` : address || 'No address given', phone]
              .filter(Boolean)
              .join('\n')}
          </p>
          <ChosenRate purchase={purchase} />
          {canChange && hasLink && (
            <p className="mt-1">
              <Link
                id="change-delivery"
                to={purchase.shipTo ? `${orderPages}/${purchase.number}?edit=delivery` : '?edit=delivery'}
                preventScrollReset
                className="link link-alone text-sm"
              >
                {address || pickup ? 'Change' : 'Add an address'}
                {(address || pickup) && <span className="sr-only"> the delivery details</span>}
              </Link>
            </p>
          )}
        </>
      )}
    </section>
  );
}

/** How the purchase is sent, when it was promised to arrive, and the customer's remark. */
function ChosenRate({ purchase: { charges = [], currency, arrives, remark } }: { purchase: Purchase }) {
  const money = useMoney();
  return (
    <>
      {charges.map(({ kind, label, amount }) => (
        <p key={kind} className="figures mt-3">
          {`${label}, ${describeAmount(amount, money.charged(amount, currency))}`}
        </p>
      ))}
      {arrives && (
        <p className="figures text-sm text-soft">{`arrives ${formatDays(arrives.from, arrives.to)}`}</p>
      )}
      {remark && (
        <p className="mt-3 whitespace-pre-line wrap-anywhere">
          <span className="block text-sm text-soft">Remark</span>
          {remark}
        </p>
      )}
    </>
  );
}
