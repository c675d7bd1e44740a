import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router';
import type { Review } from '../../../../contract/catalogue/reviews.ts';
import { reviewsPage } from '../../../../contract/page-addresses.ts';
import { getErrorMessage } from '../../../client/api/error-message.ts';
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

const lists = ['reported', 'visible', 'hidden'] as const;

const texts = {
  reported: {
    label: 'Reported',
    caption: 'Reported reviews, newest first',
    emptyTitle: 'No review is reported',
    empty: 'Reviews that readers report are listed here until you hide them or dismiss the reports.',
    column: 'Decide',
  },
  visible: {
    label: 'Visible',
    caption: 'Visible reviews, newest first',
    emptyTitle: 'No reviews yet',
    empty: 'Reviews are listed here, newest first.',
    column: 'Hide',
  },
  hidden: {
    label: 'Hidden',
    caption: 'Hidden reviews, newest first',
    emptyTitle: 'No review is hidden',
    empty: 'Reviews that you hide are listed here.',
    column: 'Show again',
  },
};

/** The tab of reported reviews counts up to this number. */
const maxCounted = 99;

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const { searchParams } = new URL(args.request.url);
  const list = lists.find((name) => searchParams.has(name)) ?? 'visible';
  const filter = list === 'visible' ? {} : { [list]: 'true' as const };
  const query = { ...readRowsQuery(args.request), ...filter };
  const [page, { count }] = await Promise.all([
    client.list('listReviews', { query, bearer: true }),
    client.call('getReportedCount', {}),
  ]);
  return { list, reported: count, ...page };
}

export function Component() {
  const { list, reported, rows, after } = useLoaderData<typeof loader>();
  const { caption, emptyTitle, empty, column } = texts[list];
  const [toHide, setToHide] = useState<Review>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function change({ _id, name }: Review, call: 'showReview' | 'dismissReports') {
    focus.setTargetAfterRemoval(_id);
    try {
      await getSession().client.call(call, { params: { id: _id } });
      toast(
        call === 'showReview'
          ? `The review by ${name} is visible again.`
          : `The reports of the review by ${name} are dismissed.`,
      );
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    await revalidate();
    focus.focusTarget();
  }

  return (
    <>
      <PageHeading title="Reviews" description="Reported, visible and hidden reviews." />
      <p className="mb-6 max-w-text text-soft">
        A hidden review disappears from the shop at once. Its author sees it, with the reason, on the Add
        Review page.
      </p>
      <nav aria-label="Reviews" className="mb-6 flex gap-6">
        {lists.map((one) => (
          <FilterLink
            key={one}
            to={`${reviewsPage}${one === 'visible' ? '' : `?${one}`}`}
            current={one === list}
          >
            {one === 'reported' && reported > 0
              ? `Reported (${reported > maxCounted ? `${maxCounted}+` : reported})`
              : texts[one].label}
          </FilterLink>
        ))}
      </nav>
      {rows.length === 0 ? (
        <EmptyState title={emptyTitle}>{empty}</EmptyState>
      ) : (
        <Table caption={caption} columns={['Review', 'Author', 'Written', column]} numbers={[column]}>
          {rows.map((review) => (
            <ReviewRow key={review._id} review={review} onHide={setToHide} onChange={change} />
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
