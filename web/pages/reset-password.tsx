import { useSearchParams } from 'react-router';
import { Button } from '../components/button.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { ErrorSummary } from '../forms/error-summary.tsx';
import { ErrorMessage } from '../forms/fields/error-message.tsx';
import { PasswordField } from '../forms/fields/password-field.tsx';
import { createResetForm, isUndo, passwordHint } from './sign-in/forms.ts';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';
import { useLinkForm } from './sign-in/use-link-form.ts';

const undoText =
  'Choose a new password to give your account its former email address back. This signs out every device and removes your passkeys.';

const resetText =
  'This signs you out everywhere and removes your passkeys. Then sign in with the new password.';

export function Component() {
  const { form, send } = useLinkForm(createResetForm);
  const { isSubmitting, submitCount } = form.formState;
  const [search] = useSearchParams();
  const undoes = isUndo(search);

  return (
    <SignInLayout>
      <PageHeading
        title={undoes ? 'Undo the change' : 'Choose a new password'}
        description={undoes ? undoText : resetText}
      />
      <p className="mb-6 text-soft">{undoes ? undoText : resetText}</p>
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
          {undoes ? 'Undo the change' : 'Change password'}
        </Button>
        <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
      </form>
      {!undoes && (
        <SwitchFormLink question="The link no longer works?" to="/forgot-password">
          Get a new one
        </SwitchFormLink>
      )}
    </SignInLayout>
  );
}
