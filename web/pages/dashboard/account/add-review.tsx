import { useState } from 'react';
import { type LoaderFunctionArgs, redirect, useLoaderData, useNavigate, useSearchParams } from 'react-router';
import type { Review } from '../../../../contract/catalogue/reviews.ts';
import { addReviewPage, homePage } from '../../../../contract/page-addresses.ts';
import { ApiError, type Client } from '../../../client/api/client.ts';
import { createFormKey } from '../../../client/api/idempotency.ts';
import { requireViewer } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useRejectedForm } from '../../../forms/use-rejected-form.ts';
import { useSettings } from '../../../shop.tsx';
import { DeleteReview } from './add-review/delete-review.tsx';
import { OwnReviews } from './add-review/own-reviews.tsx';
import { deleteReviewForm } from './add-review/review.ts';
import { ReviewForm } from './add-review/review-form.tsx';
import { ConfirmationForm } from './profile/confirmation-form.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const { client } = args.context.get(loaderContext);
  const own = await listOwn(client);
  const { searchParams } = new URL(args.request.url);
  const chosen = searchParams.get('product') ?? '';
  const reviewed = own.find(({ product }) => product && product === chosen);
  if (reviewed && !searchParams.has('done')) throw redirect(`${addReviewPage}?edit=${reviewed._id}`);
  return { viewer, formKey: createFormKey(), own, products: await listProducts(client, own, chosen), chosen };
}

/** All of the viewer's reviews. A daily limit bounds their number. */
async function listOwn(client: Client): Promise<Review[]> {
  const own: Review[] = [];
  let after: string | undefined;
  do {
    const page = await client.list('listReviews', { query: { own: 'true', limit: 200, after } });
    own.push(...page.rows);
    after = page.after;
  } while (after);
  return own;
}

/** The products to review: those that the viewer has bought, and the one that a link names. */
async function listProducts(client: Client, own: Review[], chosen: string) {
  const bought = await client.call('listReviewableProducts', {});
  if (!chosen || [...bought.map(({ _id }) => _id), ...own.map(({ product }) => product)].includes(chosen))
    return bought;
  const named = await client.call('getProduct', { params: { id: chosen } }).catch((error: unknown) => {
    if (error instanceof ApiError && error.problem.status === 404) return undefined;
    throw error;
  });
  return named ? [{ _id: named._id, name: named.name }, ...bought] : bought;
}

const doneTexts = new Map([
  ['edited', 'Your review is saved.'],
  ['deleted', 'Your review is deleted.'],
]);

export function Component() {
  const { viewer, formKey, own, products, chosen } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const { sendsMail, sandbox } = useSettings();
  const rejected = useRejectedForm('review');
  const rejectedDeletion = useRejectedForm(deleteReviewForm.name);
  const [key] = useState(rejected?.values.key || formKey);
  const [added, setAdded] = useState(0);
  const navigate = useNavigate();
  const findOwn = (id: string | null) => own.find(({ _id }) => _id === id);
  const edited = findOwn(search.get('edit'));
  const toDelete = findOwn(search.get('delete'));
  const canReviewTools = viewer.emailVerified || !sendsMail;
  const canReview = canReviewTools || sandbox || edited !== undefined;
  const done = search.get('done') ?? '';
  return (
    <>
      <PageHeading
        title={edited ? 'Edit your review' : 'Add Review'}
        description="Tell others how a tool did on your bench."
      />
      {toDelete && <DeleteReview review={toDelete} viewer={viewer} />}
      {rejectedDeletion && (
        <Notice error noFocus>
          {rejectedDeletion.root}
        </Notice>
      )}
      {doneTexts.has(done) && <Notice done>{doneTexts.get(done)}</Notice>}
      {done === 'review' && (
        <Notice done>
          Your review is published. It comes first among{' '}
          <Link to={`${homePage}#reviews`} className="link">
            the reviews on the home page
          </Link>
          .
        </Notice>
      )}
      {!canReviewTools && !edited && (
        <Notice>
          <ConfirmationForm viewer={viewer}>
            {sandbox
              ? 'You can review tools once your address is confirmed. Until then, you can review the shop.'
              : 'You can write reviews once your address is confirmed.'}
          </ConfirmationForm>
        </Notice>
      )}
      {edited && (
        <p className="mb-8 max-w-text text-soft">{`Your review of ${edited.productName ?? 'the shop in general'}.`}</p>
      )}
      {canReview && !edited && (
        <p className="mb-8 max-w-text text-soft">
          Your review appears with your name on the home page and on the tool’s page. Your email address stays
          private.
        </p>
      )}
      {canReview && (
        <ReviewForm
          key={`${added} ${edited?._id}`}
          viewer={viewer}
          formKey={`${key}-${added}`}
          rejected={added === 0 ? rejected : undefined}
          products={canReviewTools ? products : []}
          product={canReviewTools ? chosen : ''}
          edited={edited}
          onSaved={async () => {
            if (edited) return navigate(`${addReviewPage}?done=edited`);
            setAdded(added + 1);
            document.querySelector('h1')?.focus();
            // Leave out `?product=`, which would open the new review for editing.
            await navigate(`${addReviewPage}?done=review`, { replace: true });
          }}
        />
      )}
      {own.length > 0 && !edited && <OwnReviews reviews={own} />}
    </>
  );
}
