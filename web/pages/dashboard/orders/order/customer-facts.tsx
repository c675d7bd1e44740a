import type { Order } from '../../../../../contract/orders/orders.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Link } from '../../../../components/link.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { ordersPathOf } from '../all-orders/order-query.ts';
import { ContactLinks } from '../contact-links.tsx';
import { toDeliveryForm } from './delivery.ts';
import { Fact } from './fact.tsx';

/** The customer, for an admin. */
export function CustomerFact({ order: { userName, user, phone } }: { order: Order }) {
  return (
    <Fact term="Customer">
      {userName}
      <ContactLinks email={user} phone={phone} />
      {user && (
        <Link to={ordersPathOf(user)} className="link block max-sm:link-alone print:hidden">
          All orders of this customer
        </Link>
      )}
    </Fact>
  );
}

type AddressProps = {
  order: Order;
  /** Where and when the customer collects it. */
  pickup: string | undefined;
  isAdmin: boolean;
  /** Whether to link to the form that corrects the address. */
  canChange: boolean;
  /** Whether the customer chooses these details at the checkout. */
  isAtCheckout: boolean;
  /** When the address was last changed after the payment. */
  changedAt: string | undefined;
};

/** The delivery address, or where the customer collects the order. An admin can copy it with the name, for a label. */
export function AddressFact({ order, pickup, isAdmin, canChange, isAtCheckout, changedAt }: AddressProps) {
  const { userName, address } = order;
  const toast = useToast();

  async function copy() {
    try {
      await navigator.clipboard.writeText(`${userName}\n${address}`);
      toast('Name and address copied.');
    } catch {
      // Browsers allow copying only on https pages, and users can block it.
      toast('This browser does not allow copying. Select the address and copy it yourself.', 'wrong');
    }
  }

  return (
    <Fact term={pickup ? 'Pick-up' : 'Address'}>
      {/* The desk shows the name as the customer. */}
      {!isAdmin && order.shipTo && `${userName}\n`}
      {pickup ? `Collect it: ${pickup}` : address || 'No address given'}
      {changedAt && (
        <span className="mt-1 block font-medium text-ruby">
          Delivery details changed after the payment, on <Moment at={changedAt} />
        </span>
      )}
      {isAdmin && address && !pickup && (
        <span className="mt-2 block noscript:hidden print:hidden">
          <Button kind="plain" onClick={copy}>
            Copy address
          </Button>
        </span>
      )}
      {canChange && (
        <span className="mt-2 block print:hidden">
          <Link
            id="change-delivery"
            {...toDeliveryForm(order, isAtCheckout)}
            preventScrollReset
            className="link py-0.5 max-sm:link-alone"
          >
            Change the delivery details…
          </Link>
        </span>
      )}
    </Fact>
  );
}
