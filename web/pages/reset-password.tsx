import { useSearchParams } from 'react-router';
import { forgotPasswordPage } from '../../contract/page-addresses.ts';
import { Button } from '../components/button.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PasswordField } from '../forms/fields/password-field.tsx';
import { FormStart } from '../forms/use-page-form.tsx';
import { passwordHint, resetForm } from './sign-in/forms.ts';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';
import { useSessionForm } from './sign-in/use-session-form.ts';

const undoText =
  'Choose a new password to give your account its former email address back. This signs out every device and removes your passkeys.';

const resetText =
  'This signs you out everywhere and removes your passkeys. Then sign in with the new password.';

export function Component() {
  const form = useSessionForm(resetForm);
  const [search] = useSearchParams();
  const undoes = search.has('undo');

  return (
    <SignInLayout>
      <PageHeading
        title={undoes ? 'Undo the change' : 'Choose a new password'}
        description={undoes ? undoText : resetText}
      />
      <p className="mb-6 text-soft">{undoes ? undoText : resetText}</p>
      <form {...form.props}>
        <FormStart form={form} />
        <input type="hidden" name="undo" value={undoes ? 'yes' : ''} />
        <PasswordField
          label="New password"
          autoComplete="new-password"
          enterKeyHint="go"
          hint={passwordHint}
          {...form.field('newPassword')}
        />
        <Button type="submit" busy={form.isBusy} className="w-full">
          {undoes ? 'Undo the change' : 'Change password'}
        </Button>
      </form>
      {!undoes && (
        <SwitchFormLink question="The link no longer works?" to={forgotPasswordPage}>
          Get a new one
        </SwitchFormLink>
      )}
    </SignInLayout>
  );
}
