import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type LoaderFunctionArgs, redirectDocument, useLoaderData } from 'react-router';
import type { Order } from '../../../../contract/orders/orders.ts';
import { myOrdersPage } from '../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../contract/pages.ts';
import { requireViewer } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useMoney, useSettings } from '../../../shop.tsx';
import { OrderAgain } from '../orders/order-again.tsx';
import { CardForm } from './payment/card-form.tsx';

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
  return { viewer, order, purchase: await client.call('getPurchase', { params: { id: order.purchase } }) };
}

export function Component() {
  const { order, purchase, viewer } = useLoaderData<typeof loader>();
  const [{ wasPaid, wasExpired }] = useState({
    wasPaid: order.paid,
    wasExpired: order.orderStatus === 'expired',
  });
  const money = useMoney();
  return (
    <>
      <PageHeading title="Payment" description="Pay for your order by card." />
      <div className="grid grid-cols-1 items-start gap-x-12 gap-y-8 lg:grid-cols-[3fr_2fr]">
        <section
          aria-labelledby="your-order"
          className="@container border border-rule bg-leaf px-5 pt-4 lg:col-start-2"
        >
          <h2 id="your-order" className="mb-2 text-xl">
            Your order
          </h2>
          <dl className="figures text-sm">
            <Line term="Number">{purchase.number}</Line>
            {purchase.orders.length > 1 ? (
              purchase.orders.map(({ _id, product, orderQuantity, price, currency }) => (
                <Line key={_id} term={`${orderQuantity}\u00a0× ${product}`}>
                  <span className="whitespace-nowrap">{money.charged(price, currency)}</span>
                </Line>
              ))
            ) : (
              <>
                <Line term="Tool">{order.product}</Line>
                <Line term="Quantity">{String(order.orderQuantity)}</Line>
              </>
            )}
            <Line term="To">{order.address || 'No address given'}</Line>
            <Line term="Total">{money.charged(purchase.price, purchase.currency)}</Line>
          </dl>
        </section>
        <div className="lg:col-start-1 lg:row-start-1">
          {order.paid && order.transactionId ? (
            <Paid transactionId={order.transactionId} number={order.number} alreadyPaid={wasPaid} />
          ) : order.orderStatus === 'expired' ? (
            <Expired order={order} viewer={viewer} announced={!wasExpired} />
          ) : (
            <>
              <noscript>
                <p className="mb-6">Paying by card needs JavaScript: turn it on in this browser.</p>
              </noscript>
              <CardForm purchase={purchase} orderId={order._id} viewer={viewer} />
            </>
          )}
          <p className="mt-6">
            <Link to={myOrdersPage} className="link link-alone">
              My Orders
            </Link>
          </p>
        </div>
      </div>
    </>
  );
}

type PaidProps = { transactionId: string; number: string; alreadyPaid: boolean };

/** Congratulates after a payment. If the order was already paid, says that nothing is left to pay. */
function Paid({ transactionId, number, alreadyPaid }: PaidProps) {
  const { sendsMail } = useSettings();
  const box = useRef<HTMLDivElement>(null);
  // The Pay button, which had the focus, is gone.
  useEffect(() => {
    if (!alreadyPaid) box.current?.focus();
  }, [alreadyPaid]);
  return (
    <div ref={box} tabIndex={-1} role="status" className="border-l-4 border-verdigris bg-leaf px-5 py-4">
      <p className="mb-2 font-serif text-xl">
        {alreadyPaid
          ? 'This order is paid. Nothing is left to pay.'
          : 'Congratulations, your payment went through.'}
      </p>
      <p className="mb-2">
        <StatusBadge tone="done">paid</StatusBadge>
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

type ExpiredProps = { order: Order; viewer: Viewer; announced: boolean };

/** The order has expired, perhaps while its card was being typed. */
function Expired({ order, viewer, announced }: ExpiredProps) {
  return (
    <Notice announced={announced}>
      <p className="mb-2 font-medium">This order was not paid in time, so its reservation has ended.</p>
      <p className="mb-4">You can order again, at today’s prices.</p>
      {order.user === viewer.email && <OrderAgain number={order.number} viewer={viewer} />}
    </Notice>
  );
}

function Line({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-6 border-t border-rule py-3 @max-[15rem]:block">
      <dt className="min-w-0 text-soft wrap-anywhere">{term}</dt>
      <dd className="text-right font-serif text-lg whitespace-pre-line wrap-anywhere">{children}</dd>
    </div>
  );
}
