import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import type { Order } from '../../../../contract/orders/orders.ts';
import type { Refund } from '../../../../contract/orders/refunds.ts';
import { allOrdersPage, myOrdersPage } from '../../../../contract/page-addresses.ts';
import { createFormKey } from '../../../client/api/idempotency.ts';
import { requireViewer } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Link } from '../../../components/link.tsx';
import { OrderTrainShapes } from '../../../components/order-train.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useRejectedForm } from '../../../forms/use-rejected-form.ts';
import { haveSameStatus } from '../account/my-orders/purchases.ts';
import { assignedMessage, UnassignedRefund } from './order/assign-form.tsx';
import { AutomaticRefunds } from './order/automatic-refunds.tsx';
import { ChargeRefunds } from './order/charge-refunds.tsx';
import { deliverySaved } from './order/delivery-form.tsx';
import { Disputed } from './order/disputed.tsx';
import { History } from './order/history.tsx';
import { LatePayment } from './order/late-payment-form.tsx';
import { Notes } from './order/notes.tsx';
import { OrderFacts } from './order/order-facts.tsx';
import { OrderSection } from './order/order-section.tsx';
import { findOwed } from './order/owed.ts';
import { OwedForm, owedMessage } from './order/owed-form.tsx';
import { findDeliveryRest } from './order/refund-all.ts';
import { RefundAll } from './order/refund-all-form.tsx';
import { returnedMessage } from './order/return-form.tsx';
import { loadCountries } from './order/ship-to.ts';
import { findCorrected, listUnshipped } from './order/shipping.ts';
import { ShippingSection } from './order/shipping-form.tsx';
import { findTracking, Status } from './order/status.tsx';
import { OrderAgain } from './order-again.tsx';
import { settledMessage } from './settled-message.ts';
import { undoneMessage } from './use-undo.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const { client } = args.context.get(loaderContext);
  const purchase = await client.call('getPurchase', { params: { id: args.params.id ?? '' } });
  const isEditing = new URL(args.request.url).searchParams.get('edit') === 'delivery';
  const countries = isEditing ? await loadCountries(client, purchase) : undefined;
  return { viewer, purchase, countries, formKey: createFormKey() };
}

/** The confirmations of plain posts, by `?done=` code. */
const doneMessages: Record<string, string> = {
  refunded: 'Refund requested.',
  owed: owedMessage,
  returned: returnedMessage,
  assigned: assignedMessage,
  shipped: 'Shipping details saved.',
  undone: undoneMessage,
  settled: settledMessage,
  noted: 'Note saved.',
  delivery: deliverySaved,
};

/** A purchase with its orders, shipping and history. An admin ships, refunds and takes notes here. */
export function Component() {
  const { viewer, purchase, countries, formKey } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const rejectedForms = [useRejectedForm('undo'), useRejectedForm('again')];
  const rejected = rejectedForms.find((form) => form?.root);
  const isAdmin = viewer.role === 'admin';
  const { number, orders, charges = [] } = purchase;
  const [order] = orders;
  if (!order) return null;
  const isOwn = order.user === viewer.email;
  const done = doneMessages[search.get('done') ?? ''];
  const deliveryRest = findDeliveryRest(purchase);
  const settling = search.get('owed');
  const settlingAt = settling && findOwed(purchase, settling).first?.at;
  const formAt = (at: string) => (refund: Refund) =>
    settlingAt === at && (
      <OwedForm purchase={purchase} refund={refund._id} viewer={viewer} formKey={formKey} />
    );
  const findCorrectedHere = (line: Order) => (isAdmin ? findCorrected(line, search) : undefined);
  const tools = (
    <div>
      {orders.map((line) => (
        <OrderSection
          key={line._id}
          order={line}
          others={orders.length - 1}
          deliveryRest={deliveryRest}
          viewer={viewer}
          formKey={formKey}
          settling={settling}
          // A refund for several orders has a single form.
          owedForm={formAt(line._id)}
          isReturning={isAdmin && search.get('return') === line._id}
          isRefunding={isAdmin && search.get('refund') === line._id}
          corrected={findCorrectedHere(line)}
          hasTrain={!isOwn || !haveSameStatus(orders)}
          hasTrackLinks={!isOwn || !findTracking(purchase)}
        />
      ))}
      {charges.map((charge) => (
        <ChargeRefunds
          key={charge.kind}
          charge={charge}
          purchase={purchase}
          isAdmin={isAdmin}
          settling={settling}
          owedForm={formAt(charge.kind)}
        />
      ))}
      {order.paid && isOwn && (
        <div className="mb-10 print:hidden">
          <OrderAgain number={number} viewer={viewer} kind="plain" />
        </div>
      )}
      {isAdmin && (
        <RefundAll
          purchase={purchase}
          viewer={viewer}
          formKey={formKey}
          isOpen={search.get('refund') === 'all'}
        />
      )}
    </div>
  );
  // One form at a time: the fields of another one have the same ids.
  const hasOpenForm =
    orders.some(findCorrectedHere) || ['refund', 'return', 'owed'].some((name) => search.has(name));
  return (
    <>
      <PageHeading title={`Order ${number}`} description="Its tools, delivery, payment and history." />
      <p className="-mt-3 mb-8 flex flex-wrap items-baseline gap-x-6 gap-y-2 print:hidden">
        <Link to={isAdmin ? allOrdersPage : myOrdersPage} className="link link-alone">
          {isAdmin ? 'All Orders' : 'My Orders'}
        </Link>
      </p>
      {done && <Notice done>{done}</Notice>}
      {rejected && <Notice error>{rejected.root}</Notice>}
      <LatePayment purchase={purchase} viewer={viewer} />
      <AutomaticRefunds purchase={purchase} viewer={viewer} />
      {isAdmin && <UnassignedRefund purchase={purchase} viewer={viewer} />}
      {order.disputed && <Disputed disputes={order.disputes} />}
      <OrderTrainShapes />
      {isOwn && <Status purchase={purchase} viewer={viewer} />}
      {isAdmin ? (
        <>
          <OrderFacts purchase={purchase} viewer={viewer} countries={countries} />
          <ShippingSection orders={listUnshipped(purchase)} viewer={viewer} isHidden={hasOpenForm} />
          {tools}
          <History purchase={purchase} isAdmin />
          <Notes purchase={purchase} viewer={viewer} formKey={formKey} />
        </>
      ) : (
        <div className="gap-x-12 lg:grid lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr] print:block">
          {tools}
          <div className="lg:col-start-2 lg:row-span-2 lg:row-start-1">
            <OrderFacts purchase={purchase} viewer={viewer} countries={countries} />
          </div>
          <History purchase={purchase} isAdmin={false} />
        </div>
      )}
    </>
  );
}
