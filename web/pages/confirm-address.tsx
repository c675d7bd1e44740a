import { Button } from '../components/button.tsx';
import { Notice } from '../components/feedback/notice.tsx';
import { Link } from '../components/link.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { ErrorMessage } from '../forms/error-message.tsx';
import { createConfirmAddressForm } from './sign-in/forms.ts';
import { SignInLayout } from './sign-in/sign-in-layout.tsx';
import { useLinkForm } from './sign-in/use-link-form.ts';

export function Component() {
  const { form, send, isDone } = useLinkForm(createConfirmAddressForm);

  return (
    <SignInLayout>
      <PageHeading
        title="Confirm your email address"
        description="Confirm the email address of your account."
      />
      {isDone ? (
        <Notice done announced>
          Your email address is confirmed. Thank you!
        </Notice>
      ) : (
        <form method="post" noValidate onSubmit={send}>
          <p className="mb-6">Press the button to confirm the email address of your account.</p>
          <Button type="submit" busy={form.formState.isSubmitting} className="w-full">
            Confirm
          </Button>
          <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
        </form>
      )}
      <p className="mt-6 text-sm">
        {isDone ? '' : 'The link no longer works? Get a new one from '}
        <Link to="/dashboard" className="link link-alone">
          {isDone ? 'Go to your profile' : 'your profile'}
        </Link>
      </p>
    </SignInLayout>
  );
}
