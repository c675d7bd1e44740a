import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router';
import type { Order } from '../../../contract/orders.ts';
import { getErrorMessage } from '../../client/error-message.ts';
import { requireAdmin } from '../../client/route-access.ts';
import { loaderContext } from '../../client/route-context.ts';
import { getSession } from '../../client/session.ts';
import { ConfirmDialog } from '../../components/feedback/dialog.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { Table } from '../../components/table.tsx';
import { AdminOrderRow } from './all-orders/order-row.tsx';
import { UnknownPayments } from './all-orders/unknown-payments.tsx';
import { MoreRows, readRowsQuery } from './more-rows.tsx';
import { useRowFocus } from './row-focus.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const [orders, unknown] = await Promise.all([
    client.list('listAllOrders', { query: readRowsQuery(args.request) }),
    client.call('listUnknownPayments', { query: { limit: 50 } }),
  ]);
  return { ...orders, unknown };
}

export function Component() {
  const { rows, after, unknown } = useLoaderData<typeof loader>();
  const [toDelete, setToDelete] = useState<Order>();
  const [withoutAddress, setWithoutAddress] = useState<Order>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function ship({ _id, product }: Order) {
    try {
      const body = { orderStatus: 'sipping' as const };
      await getSession().client.call('shipOrder', { params: { id: _id }, body });
      toast(`Order:${product} is Shipped.`);
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    await revalidate();
  }

  async function shipOrConfirm(order: Order) {
    if (order.address) await ship(order);
    else setWithoutAddress(order);
  }

  async function remove({ _id, product }: Order) {
    focus.setTargetAfterRemoval(_id);
    try {
      await getSession().client.call('deleteOrder', { params: { id: _id } });
      toast(`Order:${product} is Deleted.`);
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    await revalidate();
  }

  return (
    <>
      <PageHeading title="All Orders" description="Every order: what is paid and what is ready to ship." />
      <UnknownPayments payments={unknown} />
      {rows.length === 0 ? (
        <EmptyState title="No orders yet">The first order will appear here.</EmptyState>
      ) : (
        <>
          <p className="mb-8 max-w-text text-soft">
            The button of a paid order shows its status. Press it when the parcel leaves; it then reads
            “sipping”.
          </p>
          <Table
            caption="All orders, newest first"
            columns={['Order', 'Customer', 'Quantity', 'Total', 'Status', 'Ship']}
            numbers={['Quantity', 'Total', 'Ship']}
          >
            {rows.map((order) => (
              <AdminOrderRow key={order._id} order={order} onShip={shipOrConfirm} onDelete={setToDelete} />
            ))}
          </Table>
        </>
      )}
      <MoreRows shown={rows.length} after={after} />
      {withoutAddress && (
        <ConfirmDialog
          title={`Ship ${withoutAddress.product} without an address?`}
          confirmLabel="Ship it"
          cancelLabel="Not yet"
          onConfirm={() => ship(withoutAddress)}
          onClose={() => {
            setWithoutAddress(undefined);
            document.getElementById(withoutAddress._id)?.focus();
          }}
        >
          <p className="wrap-anywhere text-soft">
            {withoutAddress.userName} gave no address. Write to {withoutAddress.user} first and ask for one.
          </p>
        </ConfirmDialog>
      )}
      {toDelete && (
        <ConfirmDialog
          title={`Delete the order of ${toDelete.product}?`}
          confirmLabel="Delete the order"
          onConfirm={() => remove(toDelete)}
          onClose={() => {
            setToDelete(undefined);
            focus.focusTarget();
          }}
        >
          <p className="text-soft">
            {toDelete.userName} has not paid for it. Its stock becomes available again. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
