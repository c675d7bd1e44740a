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
import { AnswerDialog } from './reviews/answer-dialog.tsx';
import { HideDialog } from './reviews/hide-dialog.tsx';
import { ReviewRow, type RowCall } from './reviews/review-row.tsx';

const lists = ['pending', 'reported', 'visible', 'hidden'] as const;

const texts = {
  pending: {
    label: 'To approve',
    caption: 'Reviews to approve, newest first',
    emptyTitle: 'No reviews waiting for approval',
    empty: 'New and edited reviews are listed here until you approve them.',
    column: 'Decide',
  },
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
    column: 'Answer or hide',
  },
  hidden: {
    label: 'Hidden',
    caption: 'Hidden reviews, newest first',
    emptyTitle: 'No review is hidden',
    empty: 'Reviews that you hide are listed here.',
    column: 'Show again',
  },
};

/** The tabs count up to this number. */
const maxCounted = 99;

const formatTab = (label: string, count = 0): string =>
  count === 0 ? label : `${label} (${count > maxCounted ? `${maxCounted}+` : count})`;

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const { searchParams } = new URL(args.request.url);
  const list = lists.find((name) => searchParams.has(name)) ?? 'visible';
  const filter = list === 'visible' ? {} : { [list]: 'true' as const };
  const query = { ...readRowsQuery(args.request), ...filter };
  const [page, { count, pending }] = await Promise.all([
    client.list('listReviews', { query, bearer: true }),
    client.call('getReportedCount', {}),
  ]);
  const counts: Partial<Record<(typeof lists)[number], number>> = { reported: count, pending };
  return { list, counts, ...page };
}

export function Component() {
  const { list, counts, rows, after } = useLoaderData<typeof loader>();
  const { caption, emptyTitle, empty, column } = texts[list];
  const [toHide, setToHide] = useState<Review>();
  const [toAnswer, setToAnswer] = useState<Review>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function change({ _id, name, reports, version = 0 }: Review, call: RowCall) {
    const params = { id: _id };
    const { client } = getSession();
    focus.setTargetAfterRemoval(_id);
    try {
      const send = {
        async approveReview() {
          await client.call('approveReview', { params, body: { version } });
          return `The review by ${name} is visible.`;
        },
        async showReview() {
          const { pending } = await client.call('showReview', { params, query: { version } });
          return `The review by ${name} ${pending ? 'now waits for approval' : 'is visible again'}.`;
        },
        async dismissReports() {
          const query = { until: reports?.newestAt ?? '' };
          const { deletedCount } = await client.call('dismissReports', { params, query });
          return deletedCount > 0
            ? `The reports of the review by ${name} are dismissed.`
            : `The reports of the review by ${name} were already dismissed.`;
        },
      };
      toast(await send[call]());
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    await revalidate();
    focus.focusTarget();
  }

  return (
    <>
      <PageHeading title="Reviews" description="Approve, answer and hide reviews, and deal with reports." />
      <p className="mb-6 max-w-text text-soft">
        A hidden review disappears from the shop at once. Its author sees it, with the reason, on the Add
        Review page.
      </p>
      <nav aria-label="Reviews" className="mb-6 flex flex-wrap gap-x-6 whitespace-nowrap">
        {lists
          // Without `REVIEW_APPROVAL`, this list is usually empty.
          .filter((one) => one !== 'pending' || one === list || counts.pending)
          .map((one) => (
            <FilterLink
              key={one}
              to={`${reviewsPage}${one === 'visible' ? '' : `?${one}`}`}
              current={one === list}
            >
              {formatTab(texts[one].label, counts[one])}
            </FilterLink>
          ))}
      </nav>
      {rows.length === 0 ? (
        <EmptyState title={emptyTitle}>{empty}</EmptyState>
      ) : (
        <Table caption={caption} columns={['Review', 'Author', 'Written', column]} numbers={[column]}>
          {rows.map((review) => (
            <ReviewRow
              key={review._id}
              review={review}
              onHide={setToHide}
              onAnswer={setToAnswer}
              onChange={change}
            />
          ))}
        </Table>
      )}
      <MoreRows shown={rows.length} after={after} />
      {toAnswer && (
        <AnswerDialog
          opened={toAnswer}
          current={rows.find(({ _id }) => _id === toAnswer._id)}
          onConflict={revalidate}
          onAnswered={async (message) => {
            toast(message);
            await revalidate();
          }}
          onClose={() => setToAnswer(undefined)}
        />
      )}
      {toHide && (
        <HideDialog
          opened={toHide}
          current={rows.find(({ _id }) => _id === toHide._id)}
          onConflict={revalidate}
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
