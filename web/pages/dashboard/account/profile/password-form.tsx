import type { Viewer } from '../../../../../contract/pages.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { UsernameHint } from '../../../../forms/fields/own-password.tsx';
import { PasswordField } from '../../../../forms/fields/password-field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { passwordHint } from '../../../sign-in/forms.ts';
import { useAccountAction } from './account-path.ts';
import { passwordForm } from './password.ts';

/** Changes the password, which ends the user's other sessions and renews this one. */
export function PasswordForm({ viewer }: { viewer: Viewer }) {
  const toast = useToast();
  const action = useAccountAction();
  const form = usePageForm(passwordForm, {
    viewer,
    onDone(_, { reset }) {
      toast('Your password is changed.');
      reset();
      // The session has been renewed, so get its token. Without one, calls rely on the cookie.
      return getSession()
        .refresh()
        .catch(() => {});
    },
  });

  return (
    <form {...form.props} action={action}>
      <h3 className="mb-4 text-xl">Change password</h3>
      <p className="mb-6 text-soft">Passkeys stay. Remove any that you do not recognize.</p>
      <FormStart form={form} />
      <UsernameHint email={viewer.email} />
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        {...form.field('currentPassword')}
      />
      <PasswordField
        label="New password"
        autoComplete="new-password"
        hint={passwordHint}
        {...form.field('newPassword')}
      />
      <Button type="submit" kind="plain" busy={form.isBusy}>
        Change password
      </Button>
      {form.isDone && (
        <p className="mt-4">
          <StatusBadge tone="done">Changed. You are signed out everywhere else.</StatusBadge>
        </p>
      )}
    </form>
  );
}
