import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { createFormKey } from '../../../client/idempotency.ts';
import { requireViewer } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useRejectedForm } from '../../../forms/use-shop-form.ts';
import { HiddenReviews } from './add-review/hidden-reviews.tsx';
import { ReviewForm } from './add-review/review-form.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const { client } = args.context.get(loaderContext);
  const hidden = await client.call('listReviews', { query: { hidden: 'true', limit: 200 } });
  // Admins get everyone's.
  return { viewer, formKey: createFormKey(), hidden: hidden.filter(({ email }) => email === viewer.email) };
}

export function Component() {
  const { viewer, formKey, hidden } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const rejected = useRejectedForm('review');
  const [key] = useState(rejected?.values.key || formKey);
  const [added, setAdded] = useState(0);
  return (
    <>
      <PageHeading title="Add Review" description="Tell others how a tool did on your bench." />
      {(added > 0 || search.get('done') === 'review') && (
        <Notice done>
          Your review is published. It comes first among{' '}
          <Link to="/#reviews" className="link">
            the reviews on the home page
          </Link>
          .
        </Notice>
      )}
      <p className="mb-8 max-w-text text-soft">
        It appears on the home page with your name; your email address stays private.
      </p>
      <ReviewForm
        key={added}
        viewer={viewer}
        formKey={`${key}-${added}`}
        rejected={added === 0 ? rejected : undefined}
        onAdded={() => {
          setAdded(added + 1);
          document.querySelector('h1')?.focus();
        }}
      />
      {hidden.length > 0 && <HiddenReviews reviews={hidden} />}
    </>
  );
}
