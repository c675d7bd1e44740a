import { type LoaderFunctionArgs, redirectDocument, useLoaderData } from 'react-router';
import { accountDeletedPage, deleteAccountPage } from '../../../../contract/page-addresses.ts';
import { findAccountPage } from '../../../client/account-page.ts';
import { requireViewer } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { getSession } from '../../../client/session.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { OwnPassword } from '../../../forms/fields/own-password.tsx';
import { FormStart, usePageForm } from '../../../forms/use-page-form.tsx';
import { Consequences } from './delete-account/consequences.tsx';
import { deletionForm } from './delete-account/deletion.ts';
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
  const form = usePageForm(deletionForm, {
    viewer,
    async onDone() {
      // Clearing the storage also removes the drafts of other forms in this window.
      getSession().clear();
      sessionStorage.clear();
      location.assign(accountDeletedPage);
      // The form stays busy until that page replaces this one.
      await new Promise(() => {});
    },
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
      <form {...form.props} action={deleteAccountPage} className="max-w-text border-t-2 border-edge pt-6">
        <FormStart form={form} />
        <input type="hidden" name="email" value={viewer.email} />
        <OwnPassword email={viewer.email} hasPassword={hasPassword} field={form.field('password')} />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" kind="danger" busy={form.isBusy}>
            Delete my account
          </Button>
          <ButtonLink kind="plain" to={findAccountPage(viewer)}>
            Keep it
          </ButtonLink>
        </div>
      </form>
    </>
  );
}
