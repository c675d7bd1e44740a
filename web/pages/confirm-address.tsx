import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { requireViewer } from '../client/route-access.ts';
import { confirmAddressForm } from './sign-in/forms.ts';
import { LinkPage } from './sign-in/link-page.tsx';

/** Only the account's own user can confirm its address (`server/identity/recovery/recovery.ts`). */
export const loader = (args: LoaderFunctionArgs) => ({ email: requireViewer(args).email });

export function Component() {
  const { email } = useLoaderData<typeof loader>();
  return (
    <LinkPage
      title="Confirm your email address"
      description="Confirm the email address of your account."
      form={confirmAddressForm}
      doneCode="confirmed"
      button="Confirm"
      done="Your email address is confirmed."
    >
      {'You’re signed in as '}
      <strong className="font-medium wrap-anywhere text-ink">{email}</strong>. Press the button to confirm
      that this is your email address.
    </LinkPage>
  );
}
