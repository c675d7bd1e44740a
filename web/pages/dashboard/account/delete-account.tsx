import { type LoaderFunctionArgs, redirectDocument, useLoaderData } from 'react-router';
import { requireViewer } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { getSession } from '../../../client/session.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { ErrorSummary } from '../../../forms/error-summary.tsx';
import { OwnPassword } from '../../../forms/fields/own-password.tsx';
import { useRejectedForm, useShopForm } from '../../../forms/use-shop-form.ts';
import { Consequences } from './delete-account/consequences.tsx';
import { createDeletionForm, deleteAccountPath } from './delete-account/deletion.ts';
import { ExportLink } from './profile/your-data.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  // Only documents contain `signsInWith`: after a sign-in without a page load, load one.
  if (!viewer.signsInWith) throw redirectDocument(args.request.url);
  const { client } = args.context.get(loaderContext);
  const query = { user: viewer.email, limit: 200 };
  const orders = await client.call('listOwnOrders', { query });
  return { viewer, hasPassword: viewer.signsInWith.includes('password'), orders };
}

/** Says what is deleted and what is kept, asks for the password, and deletes the account. */
export function Component() {
  const { viewer, hasPassword, orders } = useLoaderData<typeof loader>();
  const definition = createDeletionForm(viewer.email);
  const form = useShopForm(definition, useRejectedForm(definition.name));
  const { isSubmitting, submitCount } = form.formState;

  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
    } catch (error) {
      form.showError(error);
      return;
    }
    // Includes the drafts of other forms in this window.
    getSession().clear();
    sessionStorage.clear();
    location.assign(definition.redirectTo);
  });

  return (
    <>
      <PageHeading title="Delete your account" description="What is deleted, and what the shop must keep." />
      <p className="max-w-text text-soft">
        {'This deletes the account of '}
        <strong className="font-medium wrap-anywhere text-ink">{viewer.email}</strong>
        {' for good. If you want to keep a copy of your data, download it first.'}
      </p>
      <p className="mt-4">
        <ExportLink email={viewer.email} />
      </p>
      <Consequences viewer={viewer} orders={orders} />
      <form
        method="post"
        action={deleteAccountPath}
        noValidate
        onSubmit={send}
        className="max-w-text border-t-2 border-edge pt-6"
      >
        <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
        {form.root && (
          <Notice error noFocus={submitCount === 0}>
            {form.root}
          </Notice>
        )}
        <input type="hidden" name="viewer" value={viewer._id} />
        <OwnPassword email={viewer.email} hasPassword={hasPassword} field={form.field('password')} />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" kind="danger" busy={isSubmitting}>
            Delete my account
          </Button>
          <ButtonLink kind="plain" to="/dashboard">
            Keep it
          </ButtonLink>
        </div>
      </form>
    </>
  );
}
