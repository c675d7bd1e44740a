import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { requireViewer } from '../../access.ts';
import { PageHeading } from '../../components/page-heading.tsx';
import { useSettings } from '../../shop.tsx';
import { GoogleLink } from './profile/google-link.tsx';
import { PasswordForm } from './profile/password-form.tsx';
import { ProfileForm } from './profile/profile-form.tsx';

export function loader(args: LoaderFunctionArgs) {
  return requireViewer(args);
}

export function Component() {
  const viewer = useLoaderData<typeof loader>();
  const { google } = useSettings();
  return (
    <>
      <PageHeading title="My Profile" description="Who you are to the shop, and how you sign in." />
      <ProfileForm key={viewer._id} viewer={viewer} />
      <section aria-labelledby="signing-in" className="mt-16 border-t-2 border-edge pt-6">
        <h2 id="signing-in" className="mb-2 text-2xl">
          Signing in
        </h2>
        <p className="mb-8 max-w-text text-soft">
          You sign in as <strong className="font-medium break-all text-ink">{viewer.email}</strong>
          {google ? ', with a password or with a Google account that is linked to it.' : ', with a password.'}
        </p>
        <div className="grid gap-x-12 gap-y-12 lg:grid-cols-2">
          <PasswordForm email={viewer.email} />
          {google && <GoogleLink />}
        </div>
      </section>
    </>
  );
}
