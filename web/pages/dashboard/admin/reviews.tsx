import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router';
import type { Review } from '../../../../contract/reviews.ts';
import { getErrorMessage } from '../../../client/error-message.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { getSession } from '../../../client/session.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Table } from '../../../components/table.tsx';
import { FilterLink } from '../filter-link.tsx';
import { MoreRows, readRowsQuery } from '../more-rows.tsx';
import { useRowFocus } from '../row-focus.ts';
import { HideDialog } from './reviews/hide-dialog.tsx';
import { ReviewRow } from './reviews/review-row.tsx';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const hidden = new URL(args.request.url).searchParams.has('hidden');
  const query = { ...readRowsQuery(args.request), ...(hidden ? { hidden: 'true' as const } : {}) };
  return { hidden, ...(await client.list('listReviews', { query, bearer: true })) };
}

export function Component() {
  const { hidden, rows, after } = useLoaderData<typeof loader>();
  const [toHide, setToHide] = useState<Review>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function show({ _id, name }: Review) {
    focus.setTargetAfterRemoval(_id);
    try {
      await getSession().client.call('showReview', { params: { id: _id } });
      toast(`The review by ${name} is visible again.`);
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    await revalidate();
    focus.focusTarget();
  }

  return (
    <>
      <PageHeading title="Reviews" description="Visible and hidden reviews." />
      <p className="mb-6 max-w-text text-soft">
        A hidden review disappears from the shop at once. Its author sees it, with the reason, on the Add
        Review page.
      </p>
      <nav aria-label="Reviews" className="mb-6 flex gap-6">
        <FilterLink to="/dashboard/reviews" current={!hidden}>
          Visible
        </FilterLink>
        <FilterLink to="/dashboard/reviews?hidden" current={hidden}>
          Hidden
        </FilterLink>
      </nav>
      {rows.length === 0 ? (
        <EmptyState title={hidden ? 'No review is hidden' : 'No reviews yet'}>
          {hidden ? 'Reviews that you hide are listed here.' : 'Reviews are listed here, newest first.'}
        </EmptyState>
      ) : (
        <Table
          caption={hidden ? 'Hidden reviews, newest first' : 'Visible reviews, newest first'}
          columns={['Review', 'Author', 'Written', hidden ? 'Show again' : 'Hide']}
          numbers={['Show again', 'Hide']}
        >
          {rows.map((review) => (
            <ReviewRow key={review._id} review={review} onHide={setToHide} onShow={show} />
          ))}
        </Table>
      )}
      <MoreRows shown={rows.length} after={after} />
      {toHide && (
        <HideDialog
          review={toHide}
          onHidden={async () => {
            focus.setTargetAfterRemoval(toHide._id);
            toast(`The review by ${toHide.name} is hidden.`);
            await revalidate();
          }}
          onClose={() => {
            setToHide(undefined);
            focus.focusTarget();
          }}
        />
      )}
    </>
  );
}
