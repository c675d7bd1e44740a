import { useState } from 'react';
import {
  type LoaderFunctionArgs,
  redirect,
  useLoaderData,
  useRevalidator,
  useSearchParams,
} from 'react-router';
import type { Order } from '../../../contract/orders.ts';
import { requireViewer } from '../../client/access.ts';
import { CallFailed } from '../../client/client.ts';
import { ButtonLink } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/feedback/dialog.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { MoreLink } from '../../components/more-link.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { Table } from '../../components/table.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { sayWhy } from '../../client/failure.ts';
import { session } from '../../client/session.ts';
import { useRefused } from '../../forms/use-shop-form.ts';
import { visit } from '../../client/visit.ts';
import { orderPlaced } from '../purchase/order.ts';
import { deleteForm } from './my-orders/delete.ts';
import { DeleteForm } from './my-orders/delete-form.tsx';
import { OrderRow } from './my-orders/order-row.tsx';

const pageSize = 50;

export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const after = new URL(args.request.url).searchParams.get('after') ?? undefined;
  const query = { user: viewer.email, limit: pageSize, ...(after ? { after } : {}) };
  const page = await args.context
    .get(visit)
    .client.list('listOwnOrders', { query })
    .catch(async (error) => {
      if (!(error instanceof CallFailed) || ![401, 403].includes(error.problem.status)) throw error;
      // As the specification has it: signed out, the token dropped, and on to the home page.
      if (typeof document !== 'undefined')
        await session()
          .end()
          .catch(() => {});
      throw redirect('/?reason=orders');
    });
  return { ...page, viewer };
}

const columns = ['Tool', 'Ordered', 'Quantity', 'Total', 'Progress', 'Payment'];

export function Component() {
  const { rows, after, viewer } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const refused = useRefused(deleteForm.name);
  const asked = rows.find(({ _id, paid }) => _id === search.get('delete') && !paid);
  const [leaving, setLeaving] = useState<Order>();
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function remove({ _id, product }: Order) {
    try {
      await session().client.call('deleteOrder', { params: { id: _id } });
      toast(`Order:${product} is Deleted.`);
    } catch (error) {
      toast(sayWhy(error), 'wrong');
    }
    await revalidate();
  }

  return (
    <>
      <PageHeading title="My Orders" description="What you ordered, what is paid and what is on its way." />
      <p className="mb-6 hidden print:block">{`Hand-Tools Shop · Orders of ${viewer.name}`}</p>
      {search.get('done') === 'ordered' && <Notice done>{orderPlaced}</Notice>}
      {search.get('done') === deleteForm.done && <Notice done>The order is deleted.</Notice>}
      {refused && (
        <Notice wrong still>
          {refused.root}
        </Notice>
      )}
      {asked && <DeleteForm order={asked} viewer={viewer} />}
      {rows.length === 0 ? (
        <EmptyState title="Nothing ordered yet">
          <p className="mb-6">What you order stands here, from the first day to the parcel.</p>
          <ButtonLink to="/products">Look through the products</ButtonLink>
        </EmptyState>
      ) : (
        <Table caption="My orders, the newest first" columns={columns} numbers={['Quantity', 'Total']}>
          {rows.map((order) => (
            <OrderRow key={order._id} order={order} after={search.get('after')} onDelete={setLeaving} />
          ))}
        </Table>
      )}
      <MoreLink after={after}>Older orders</MoreLink>
      {leaving && (
        <ConfirmDialog
          title={`Delete the order of ${leaving.product}?`}
          act="Delete the order"
          onConfirm={() => remove(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          <p className="text-soft">Its pieces go back on the shelf. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
