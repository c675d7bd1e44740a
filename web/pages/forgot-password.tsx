import { useEffect, useRef } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { forgotPasswordPage, loginPage } from '../../contract/page-addresses.ts';
import { Button } from '../components/button.tsx';
import { Notice } from '../components/feedback/notice.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Field } from '../forms/fields/field.tsx';
import { FormStart, usePageForm } from '../forms/use-page-form.tsx';
import { useSettings } from '../shop.tsx';
import { forgotForm } from './sign-in/forms.ts';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';

const description = 'We’ll email you a link to choose a new password.';

/** Requests a message with a link to reset the password. */
export function Component() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const { sendsMail } = useSettings();
  const form = usePageForm(forgotForm, {
    onDone: (_, { donePage }) => navigate(donePage(), { replace: true }),
  });
  const { state } = useLocation();
  const { setText } = form;
  const typed = useRef<unknown>(state?.email);
  // The login page passes on the address that was typed there. The address is not in the URL, so the server doesn't know it.
  useEffect(() => {
    if (typeof typed.current === 'string') setText('email', typed.current);
    typed.current = undefined;
  }, [setText]);
  const isSent = search.get('done') === 'sent' && !form.rejected;

  return (
    <SignInLayout>
      <PageHeading title="Forgot your password?" description={description} />
      {isSent && (
        <Notice done announced>
          If there is an account with this address, we’ve emailed you a link, which works for one hour. If it
          doesn’t arrive, check your spam folder.
        </Notice>
      )}
      {sendsMail ? (
        <>
          <p className="mb-6 text-soft">Enter your account’s email address. {description}</p>
          <form {...form.props} action={forgotPasswordPage}>
            <FormStart form={form} />
            <Field
              label="Email"
              type="email"
              autoComplete="username"
              enterKeyHint="go"
              {...form.field('email')}
            />
            <Button type="submit" busy={form.isBusy} className="w-full">
              Send the link
            </Button>
          </form>
        </>
      ) : (
        <p>This shop sends no email. Ask the shopkeeper for a new password.</p>
      )}
      <SwitchFormLink question="Remembered it?" to={loginPage}>
        Login
      </SwitchFormLink>
    </SignInLayout>
  );
}
