import { Button } from '../components/button.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { ErrorMessage } from '../forms/error-message.tsx';
import { ErrorSummary } from '../forms/error-summary.tsx';
import { PasswordField } from '../forms/password-field.tsx';
import { createResetForm, passwordHint } from './sign-in/forms.ts';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';
import { useLinkForm } from './sign-in/use-link-form.ts';

export function Component() {
  const { form, send } = useLinkForm(createResetForm);
  const { isSubmitting, submitCount } = form.formState;

  return (
    <SignInLayout>
      <PageHeading
        title="Choose a new password"
        description="This signs you out everywhere. Then sign in with the new password."
      />
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      <form method="post" noValidate onSubmit={send}>
        <PasswordField
          label="New password"
          autoComplete="new-password"
          enterKeyHint="go"
          hint={passwordHint}
          {...form.field('newPassword')}
        />
        <Button type="submit" busy={isSubmitting} className="w-full">
          Change password
        </Button>
        <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
      </form>
      <SwitchFormLink question="The link no longer works?" to="/forgot-password">
        Get a new one
      </SwitchFormLink>
    </SignInLayout>
  );
}
