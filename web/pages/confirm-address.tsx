import { createConfirmAddressForm } from './sign-in/forms.ts';
import { LinkPage } from './sign-in/link-page.tsx';

export const Component = () => (
  <LinkPage
    title="Confirm your email address"
    description="Confirm the email address of your account."
    createForm={createConfirmAddressForm}
    button="Confirm"
    done="Your email address is confirmed."
  >
    Press the button to confirm the email address of your account.
  </LinkPage>
);
