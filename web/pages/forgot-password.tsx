import { useEffect } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { getSession } from '../client/session.ts';
import { Button } from '../components/button.tsx';
import { Notice } from '../components/feedback/notice.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { ErrorSummary } from '../forms/error-summary.tsx';
import { ErrorMessage } from '../forms/fields/error-message.tsx';
import { Field } from '../forms/fields/field.tsx';
import { useRejectedForm, useShopForm } from '../forms/use-shop-form.ts';
import { useSettings } from '../shop.tsx';
import { forgotForm } from './sign-in/forms.ts';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';

const description = 'We’ll email you a link to choose a new password.';

/** Requests a message with a link to reset the password. */
export function Component() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const { sendsMail } = useSettings();
  const form = useShopForm(forgotForm, useRejectedForm(forgotForm.name));
  const { isSubmitting, submitCount } = form.formState;
  const { state } = useLocation();
  const { setValue } = form;
  // The login page passes on the address that was typed there. It is not in the URL, so the server doesn't know it.
  useEffect(() => {
    if (typeof state?.email === 'string') setValue('email', state.email);
  }, [state, setValue]);
  const hasFailed = form.root !== undefined || form.listErrors().length > 0;
  const isSent = search.get('done') === forgotForm.doneCode && !hasFailed;

  const send = form.handleSubmit(async (values) => {
    try {
      await forgotForm.send(getSession(), values);
      await navigate(`${forgotForm.redirectTo}?done=${forgotForm.doneCode}`, { replace: true });
    } catch (error) {
      form.showError(error);
    }
  });

  return (
    <SignInLayout>
      <PageHeading title="Forgot your password?" description={description} />
      {isSent && (
        <Notice key={submitCount} done announced>
          If there is an account with this address, we’ve emailed you a link, which works for one hour. If it
          doesn’t arrive, check your spam folder.
        </Notice>
      )}
      {sendsMail ? (
        <>
          <p className="mb-6 text-soft">Enter your account’s email address. {description}</p>
          <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
          <form method="post" action={forgotForm.redirectTo} noValidate onSubmit={send}>
            <Field
              label="Email"
              type="email"
              autoComplete="username"
              enterKeyHint="go"
              {...form.field('email')}
            />
            <Button type="submit" busy={isSubmitting} className="w-full">
              Send the link
            </Button>
            <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
          </form>
        </>
      ) : (
        <p>This shop sends no email. Ask the shopkeeper for a new password.</p>
      )}
      <SwitchFormLink question="Remembered it?" to="/login">
        Login
      </SwitchFormLink>
    </SignInLayout>
  );
}
