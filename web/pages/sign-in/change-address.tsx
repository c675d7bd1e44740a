import { type LoaderFunctionArgs, redirectDocument, useLoaderData } from 'react-router';
import { requireViewer } from '../../client/route-access.ts';
import { changeAddressForm } from './forms.ts';
import { LinkPage } from './link-page.tsx';

/** Only the user who requested the change can confirm it. */
export function loader(args: LoaderFunctionArgs) {
  const { email, signsInWith, requestedEmail } = requireViewer(args);
  // After signing in without a page load, the requested address is unknown until a new document is loaded.
  if (!signsInWith) throw redirectDocument(args.request.url);
  return { email, requestedEmail };
}

export function Component() {
  const { email, requestedEmail } = useLoaderData<typeof loader>();
  return (
    <LinkPage
      title="Change your email address"
      description="Confirm the new email address of your account."
      form={changeAddressForm}
      doneCode="changed"
      button="Change my email address"
      done={
        <>
          Your account’s email address is now <span className="wrap-anywhere">{email}</span>. Sign in with it
          from now on.
        </>
      }
    >
      {'You’re signed in as '}
      <Address>{email}</Address>
      {'. Press the button to replace this address with '}
      {requestedEmail ? <Address>{requestedEmail}</Address> : 'the one that received our email'}. This signs
      you out on your other devices.
    </LinkPage>
  );
}

const Address = ({ children }: { children: string }) => (
  <strong className="font-medium wrap-anywhere text-ink">{children}</strong>
);
