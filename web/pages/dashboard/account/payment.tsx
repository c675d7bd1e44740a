import { useEffect, useRef, useState } from 'react';
import {
  type LoaderFunctionArgs,
  redirectDocument,
  useLoaderData,
  useRevalidator,
  useSearchParams,
} from 'react-router';
import type { Order } from '../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../contract/orders/purchases.ts';
import { invoicesPage, myOrdersPage, orderPages } from '../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../contract/pages.ts';
import { useHydrated } from '../../../client/hydration.ts';
import { requireViewer } from '../../../client/route-access.ts';
import { loaderContext, postedFormContext } from '../../../client/route-context.ts';
import { getSession } from '../../../client/session.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/feedback/dialog.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { Link } from '../../../components/link.tsx';
import { Moment } from '../../../components/moment.tsx';
import { OrderSteps } from '../../../components/order-train.tsx';
import { OrderedTool } from '../../../components/ordered-tool.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { PromiseList } from '../../../components/promises.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { getFirstMessage } from '../../../forms/form-results.ts';
import { canReload, getText } from '../../../forms/page-form.ts';
import { useRejectedForm } from '../../../forms/use-rejected-form.ts';
import { useMoney, useSettings } from '../../../shop.tsx';
import { orderPlaced } from '../../purchase/order.ts';
import { canChangeDelivery, deliveryForm } from '../orders/order/delivery.ts';
import { paymentDeliveryForm } from '../orders/order/delivery-form.tsx';
import { OrderAgain } from '../orders/order-again.tsx';
import { CardForm, payAgain } from './payment/card-form.tsx';
import { addressUnsaved, checkoutForm } from './payment/checkout.ts';
import { CheckoutForm } from './payment/checkout-form.tsx';
import { ChosenDelivery } from './payment/chosen-delivery.tsx';
import { PaymentDelivery } from './payment/delivery.tsx';
import { loadCheckout } from './payment/load-checkout.ts';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const { client, settings } = args.context.get(loaderContext);
  // Navigating here through the browser's history keeps a document without the provider's script.
  if (
    typeof document !== 'undefined' &&
    !document.querySelector(`script[src="${CSS.escape(settings.stripeJsUrl)}"]`)
  )
    throw redirectDocument(args.request.url);
  const order = await client.call('getOrder', { params: { id: args.params.id ?? '' } });
  const purchase = await client.call('getPurchase', { params: { id: order.purchase } });
  const hasCheckout = settings.delivers && isUnpaid(order) && order.user === viewer.email;
  const checkout = hasCheckout
    ? await loadCheckout({
        client,
        viewer,
        order,
        purchase,
        posted: args.context.get(postedFormContext),
      })
    : undefined;
  return { viewer, order, purchase, checkout };
}

const isUnpaid = ({ paid, orderStatus, transactionId }: Order): boolean =>
  orderStatus !== 'expired' && !(paid && transactionId);

export function Component() {
  const { order, purchase, viewer, checkout } = useLoaderData<typeof loader>();
  const { paid, orderStatus, address } = order;
  const isExpired = orderStatus === 'expired';
  const [{ wasPaid, wasExpired }] = useState({ wasPaid: paid, wasExpired: isExpired });
  const isPayable = isUnpaid(order);
  useOrderPlacedToast(checkout === undefined);
  const hydrated = useHydrated();
  const { delivers } = useSettings();
  const [search] = useSearchParams();
  const delivery = useDeliveryCheck(order, purchase, viewer);
  const [isOpen, setIsOpen] = useState(useRejectedForm(checkoutForm.name) !== undefined);
  // A tool may no longer be sent to the country that was saved.
  const isSaved = purchase.rate !== undefined && !checkout?.quote.problems.includes('not_to');
  const hasForm = checkout && (!isSaved || isOpen || search.get('edit') === 'checkout');
  const isWithoutAddress =
    !isPayable && !address && purchase.rate === undefined && canChangeDelivery(purchase, viewer);
  const panel = (
    <section
      {...(checkout ? { id: 'payment', tabIndex: -1 } : {})}
      aria-label="Payment"
      className="max-lg:border-t-2 max-lg:border-edge max-lg:pt-5 lg:sticky lg:top-6 lg:col-start-2 lg:row-start-1 lg:border lg:border-rule lg:bg-leaf lg:p-6"
    >
      {isExpired ? (
        <Expired order={order} viewer={viewer} announced={!wasExpired} />
      ) : !isPayable ? (
        <>
          <Paid transactionId={order.transactionId ?? ''} purchase={purchase} alreadyPaid={wasPaid} />
          <PaidLinks number={order.number} isWithoutAddress={isWithoutAddress} />
        </>
      ) : (
        <>
          <noscript>
            <p className="mb-6">Paying by card needs JavaScript: turn it on in this browser.</p>
          </noscript>
          <CardForm purchase={purchase} orderId={order._id} viewer={viewer} checkDelivery={delivery.check} />
          <PromiseList className="mt-6" />
        </>
      )}
      <p className="mt-4">
        <Link to={myOrdersPage} className="link link-alone text-sm">
          My Orders
        </Link>
      </p>
    </section>
  );
  return (
    <>
      <div className="flex flex-wrap justify-between gap-x-6">
        <div>
          {checkout ? (
            <PageHeading
              title="Checkout"
              description="Choose where and how your order is sent, and pay for it by card."
            />
          ) : (
            <PageHeading title="Payment" description="Pay for your order by card." />
          )}
        </div>
        {!isExpired && (
          <div className="max-w-full lg:-mt-8">
            <OrderSteps
              status={orderStatus}
              isReserved={Boolean(isPayable && delivers)}
              {...(isPayable ? { next: 'paid' } : {})}
            />
          </div>
        )}
      </div>
      {/* Scripts show a toast instead. */}
      {search.get('done') === 'ordered' && !hydrated && !checkout && (
        <div className="not-noscript:hidden">
          <Notice done>{orderPlaced}</Notice>
        </div>
      )}
      {search.get('done') === addressUnsaved.code && (
        <Notice error noFocus>
          {addressUnsaved.message}
        </Notice>
      )}
      {hasForm ? (
        <CheckoutForm
          order={order}
          purchase={purchase}
          checkout={checkout}
          viewer={viewer}
          isSaved={isSaved}
          onOpen={setIsOpen}
        >
          <YourOrder purchase={purchase} />
        </CheckoutForm>
      ) : (
        <div className="checkout grid grid-cols-1 items-start gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_25rem]">
          {!isPayable && panel}
          <div className="grid min-w-0 grid-cols-1 gap-y-8 lg:col-start-1 lg:row-start-1">
            <YourOrder purchase={purchase} />
            {checkout ? (
              <ChosenDelivery purchase={purchase} checkout={checkout} />
            ) : (
              <PaymentDelivery
                purchase={purchase}
                order={order}
                viewer={viewer}
                isAsking={isPayable && !address && !delivery.isWithoutAddress}
                hasLink={!isWithoutAddress}
                onContinue={delivery.continueWithoutAddress}
              />
            )}
          </div>
          {isPayable && panel}
        </div>
      )}
      {delivery.dialog}
    </>
  );
}

/** The tools of a purchase, with its number and how long it is reserved. */
function YourOrder({ purchase: { number, orders, holdUntil } }: { purchase: Purchase }) {
  return (
    <section aria-labelledby="your-order" className="border-t-2 border-edge pt-4">
      <h2 id="your-order" className="text-xl">
        Your order
      </h2>
      <p className="figures mb-3 text-sm text-soft">
        {number}
        {holdUntil && (
          <>
            {' · reserved for you until '}
            <Moment at={holdUntil} />
          </>
        )}
      </p>
      <ul>
        {orders.map((line) => (
          <li key={line._id} className="border-t border-rule py-3 last:border-b">
            <OrderedTool order={line} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * Shows the toast of an order that was just placed: this page is a new document. At the checkout, which is still to be filled in, it
 * would be too early.
 */
function useOrderPlacedToast(isShown: boolean): void {
  const [search] = useSearchParams();
  const isNew = search.get('done') === 'ordered';
  const toast = useToast();
  useEffect(() => {
    if (!isNew) return;
    if (isShown) toast(orderPlaced);
    // As after a navigation within the document.
    document.querySelector('h1')?.focus({ preventScroll: true });
    // Loading the page again would confirm the order again.
    history.replaceState(history.state, '', location.pathname);
  }, [isNew, isShown, toast]);
}

/** Saves what was typed into the delivery form, and asks about a missing address, before the card is charged. */
function useDeliveryCheck(order: Order, { price, currency }: Purchase, viewer: Viewer) {
  const money = useMoney();
  const [isWithoutAddress, setIsWithoutAddress] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  /** A ref, because it must take effect before the next rendering. */
  const skipsAddress = useRef(false);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  /** Whether the card can be charged. Without an open form, the delivery details are those on the page. */
  async function check(): Promise<boolean> {
    const form = document.getElementById(paymentDeliveryForm);
    if (!(form instanceof HTMLFormElement)) return true;
    const formData = new FormData(form);
    const read = (name: string) => getText(formData, name).trim();
    if (
      read('name') !== order.userName ||
      read('address') !== order.address ||
      read('phone') !== order.phone
    ) {
      const result = await deliveryForm.send(getSession(), viewer, formData);
      if (canReload(result)) await revalidate();
      if (!result.isDone) {
        toast(getFirstMessage(result), 'wrong');
        return false;
      }
    }
    if (read('address') !== '' || skipsAddress.current) return true;
    setIsAsking(true);
    return false;
  }

  function continueWithoutAddress(): void {
    skipsAddress.current = true;
    setIsWithoutAddress(true);
  }

  return {
    check,
    isWithoutAddress,
    continueWithoutAddress,
    dialog: isAsking && (
      <ConfirmDialog
        title="Pay without an address?"
        cancelLabel="Add an address"
        confirmLabel={`Pay ${money.charged(price, currency)} without an address`}
        kind="primary"
        onConfirm={async () => continueWithoutAddress()}
        onClose={() => {
          setIsAsking(false);
          if (skipsAddress.current) payAgain();
          else document.getElementById('address')?.focus();
        }}
      >
        <p className="text-soft">
          We do not know where to send this order. Without an address, we’ll contact you before we ship.
        </p>
      </ConfirmDialog>
    ),
  };
}

type PaidProps = { transactionId: string; purchase: Purchase; alreadyPaid: boolean };

/** Congratulates after a payment. If the order was already paid, says that nothing is left to pay. */
function Paid({ transactionId, purchase: { number, price, currency }, alreadyPaid }: PaidProps) {
  const money = useMoney();
  const { sendsMail } = useSettings();
  const box = useRef<HTMLDivElement>(null);
  // The Pay button, which had the focus, is gone.
  useEffect(() => {
    if (!alreadyPaid) box.current?.focus();
  }, [alreadyPaid]);
  return (
    <div ref={box} tabIndex={-1} role="status" className="border-l-4 border-verdigris bg-leaf py-1 pr-3 pl-4">
      <p className="mb-2 font-serif text-xl">
        {alreadyPaid
          ? 'This order is paid. Nothing is left to pay.'
          : 'Congratulations, your payment went through.'}
      </p>
      <p className="mb-2">
        <StatusBadge tone="done">paid</StatusBadge>
        {' · '}
        {money.charged(price, currency)}
      </p>
      <p className="figures text-sm">
        <span className="text-soft">Your order:</span> {number}
      </p>
      <p className="text-sm">
        <span className="text-soft">Your transaction id:</span>{' '}
        <span className="break-all">{transactionId}</span>
      </p>
      {!alreadyPaid && sendsMail && <p className="mt-2 text-sm">We’re emailing you a receipt.</p>}
    </div>
  );
}

/** The links that follow a payment. Without an address, the link that adds one is first. */
function PaidLinks({ number, isWithoutAddress }: { number: string; isWithoutAddress: boolean }) {
  return (
    <div className="mt-4">
      {isWithoutAddress && (
        <Notice>
          <p className="mb-3">We do not know where to send this order.</p>
          <ButtonLink id="change-delivery" to="?edit=delivery" preventScrollReset>
            Add an address
          </ButtonLink>
        </Notice>
      )}
      <p className="flex flex-wrap gap-3">
        <ButtonLink kind={isWithoutAddress ? 'plain' : 'primary'} to={`${orderPages}/${number}`}>
          View your order
        </ButtonLink>
        <ButtonLink kind="plain" to={`${invoicesPage}?orders=${number}`}>
          Invoice
        </ButtonLink>
      </p>
    </div>
  );
}

type ExpiredProps = { order: Order; viewer: Viewer; announced: boolean };

/** The order has expired, perhaps while the card was being entered. */
function Expired({ order, viewer, announced }: ExpiredProps) {
  return (
    <Notice announced={announced}>
      <p className="mb-2 font-medium">This order was not paid in time, so its reservation has ended.</p>
      <p className="mb-4">You can order again, at today’s prices.</p>
      {order.user === viewer.email && <OrderAgain number={order.number} viewer={viewer} />}
    </Notice>
  );
}
