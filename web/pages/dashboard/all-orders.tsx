import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router';
import type { Order } from '../../../contract/orders.ts';
import { requireAdmin } from '../../client/access.ts';
import { ConfirmDialog } from '../../components/feedback/dialog.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { Table } from '../../components/table.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { refusalOf } from '../../forms/refusal.ts';
import { session } from '../../client/session.ts';
import { visit } from '../../client/visit.ts';
import { OrderRow } from './all-orders/order-row.tsx';
import { UnknownPayments } from './all-orders/unknown-payments.tsx';
import { MoreRows, rowsAsked } from './more-rows.tsx';
import { useRowFocus } from './row-focus.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { client } = args.context.get(visit);
  const [orders, unknown] = await Promise.all([
    client.list('listAllOrders', { query: rowsAsked(args.request) }),
    client.call('listUnknownPayments', { query: { limit: 50 } }),
  ]);
  return { ...orders, unknown };
}

export function Component() {
  const { rows, after, unknown } = useLoaderData<typeof loader>();
  const [chosen, setChosen] = useState<Order>();
  const [homeless, setHomeless] = useState<Order>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function ship({ _id, product }: Order) {
    try {
      const body = { orderStatus: 'sipping' as const };
      await session().client.call('shipOrder', { params: { id: _id }, body });
      toast(`Order:${product} is Shipped.`);
    } catch (error) {
      toast(refusalOf(error).detail, 'wrong');
    }
    await revalidate();
  }

  async function shipOrAsk(order: Order) {
    if (order.address) await ship(order);
    else setHomeless(order);
  }

  async function remove({ _id, product }: Order) {
    focus.leave(_id);
    try {
      await session().client.call('deleteOrder', { params: { id: _id } });
      toast(`Order:${product} is Deleted.`);
    } catch (error) {
      toast(refusalOf(error).detail, 'wrong');
    }
    await revalidate();
  }

  return (
    <>
      <PageHeading
        title="All Orders"
        description="Every order of the shop: what is paid, what is to be shipped."
      />
      <UnknownPayments payments={unknown} />
      {rows.length === 0 ? (
        <EmptyState title="No orders yet">The first one will stand here as soon as it is placed.</EmptyState>
      ) : (
        <>
          <p className="mb-8 max-w-text text-soft">
            The button of a paid order says its status. Press it when the parcel leaves; it then reads
            “sipping”.
          </p>
          <Table
            caption="All orders, the newest first"
            columns={['Order', 'Customer', 'Quantity', 'Total', 'Status', 'Ship']}
            numbers={['Quantity', 'Total', 'Ship']}
          >
            {rows.map((order) => (
              <OrderRow key={order._id} order={order} onShip={shipOrAsk} onDelete={setChosen} />
            ))}
          </Table>
        </>
      )}
      <MoreRows shown={rows.length} after={after} />
      {homeless && (
        <ConfirmDialog
          title={`Ship ${homeless.product} without an address?`}
          act="Ship it"
          keep="Not yet"
          onConfirm={() => ship(homeless)}
          onClose={() => {
            setHomeless(undefined);
            document.getElementById(homeless._id)?.focus();
          }}
        >
          <p className="wrap-anywhere text-soft">
            {homeless.userName} gave none. Ask at {homeless.user} first where the parcel goes.
          </p>
        </ConfirmDialog>
      )}
      {chosen && (
        <ConfirmDialog
          title={`Delete the order of ${chosen.product}?`}
          act="Delete the order"
          onConfirm={() => remove(chosen)}
          onClose={() => {
            setChosen(undefined);
            focus.move();
          }}
        >
          <p className="text-soft">
            {chosen.userName} has not paid it. Its pieces go back on the shelf. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
