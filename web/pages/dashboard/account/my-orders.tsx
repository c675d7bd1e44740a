import { useState } from 'react';
import {
  type LoaderFunctionArgs,
  redirect,
  useLoaderData,
  useRevalidator,
  useSearchParams,
} from 'react-router';
import type { Order } from '../../../../contract/orders/orders.ts';
import { homePage, productsPage } from '../../../../contract/page-addresses.ts';
import { ApiError } from '../../../client/api/client.ts';
import { requireViewer } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { getSession } from '../../../client/session.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { MoreLink } from '../../../components/more-link.tsx';
import { OrderTrainShapes } from '../../../components/order-train.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useRejectedForm } from '../../../forms/use-rejected-form.ts';
import { againForm } from '../orders/again.ts';
import { OrderAgainRows } from '../orders/order-again.tsx';
import { useRowFocus } from '../row-focus.ts';
import { deleteForm } from './my-orders/delete-order.ts';
import { DeleteDialog, DeleteForm } from './my-orders/delete-order-form.tsx';
import { OrderCard } from './my-orders/order-card.tsx';
import { cutPage, groupByPurchase } from './my-orders/purchases.ts';

/** A purchase has at most 50 orders, so a page always holds a whole one. */
const pageSize = 50;

export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const after = new URL(args.request.url).searchParams.get('after') ?? undefined;
  const query = { user: viewer.email, limit: pageSize + 1, ...(after ? { after } : {}) };
  const page = await args.context
    .get(loaderContext)
    .client.list('listOwnOrders', { query })
    .catch(async (error) => {
      if (!(error instanceof ApiError) || ![401, 403].includes(error.problem.status)) throw error;
      // As specified: sign out, remove the token and go to the home page.
      if (typeof document !== 'undefined')
        await getSession()
          .signOut()
          .catch(() => {});
      throw redirect(`${homePage}?reason=orders`);
    });
  return { ...cutPage(page, pageSize), viewer };
}

export function Component() {
  const { rows, after, viewer } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const startsAfter = search.get('after');
  const rejectedForms = [useRejectedForm(deleteForm.name), useRejectedForm(againForm.name)];
  const rejected = rejectedForms.find((form) => form !== undefined);
  const toConfirm = rows.find(({ _id, paid }) => _id === search.get('delete') && !paid);
  const [toDelete, setToDelete] = useState<Order>();
  const { revalidate } = useRevalidator();
  const countOthers = ({ _id, purchase }: Order) =>
    rows.filter((row) => row.purchase === purchase && row._id !== _id).length;
  const purchases = groupByPurchase(rows);
  const focus = useRowFocus(purchases.flat());

  return (
    <>
      <PageHeading title="My Orders" description="Your orders, their payments and their shipping." />
      <p className="mb-6 hidden print:block">{`Hand-Tools Shop · Orders of ${viewer.name}`}</p>
      {search.get('done') === 'deleted' && <Notice done>The order is deleted.</Notice>}
      {rejected && (
        <Notice error noFocus>
          {rejected.root}
        </Notice>
      )}
      {toConfirm && <DeleteForm order={toConfirm} others={countOthers(toConfirm)} viewer={viewer} />}
      {rows.length === 0 ? (
        <EmptyState title="No orders yet">
          <p className="mb-6">Your orders appear here, from payment to shipping.</p>
          <ButtonLink to={productsPage}>Browse the products</ButtonLink>
        </EmptyState>
      ) : (
        <>
          <OrderTrainShapes />
          <OrderAgainRows viewer={viewer} />
          {/* Without scripts, the Delete buttons in this form open the form that asks for confirmation. */}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const id = new FormData(event.currentTarget, event.submitter).get('delete');
              setToDelete(rows.find(({ _id }) => _id === id));
            }}
          >
            {startsAfter && <input type="hidden" name="after" value={startsAfter} />}
            {purchases.map((orders) => (
              <OrderCard key={orders[0].purchase} orders={orders} viewer={viewer} />
            ))}
          </form>
        </>
      )}
      <MoreLink after={after}>Older orders</MoreLink>
      {toDelete && (
        <DeleteDialog
          order={toDelete}
          others={countOthers(toDelete)}
          onDeleted={() => {
            focus.setTargetAfterRemoval(toDelete._id);
            return revalidate();
          }}
          onClose={() => {
            setToDelete(undefined);
            focus.focusTarget();
          }}
        />
      )}
    </>
  );
}
