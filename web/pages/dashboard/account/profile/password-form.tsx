import { useState } from 'react';
import { useRevalidator, useSearchParams } from 'react-router';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { ErrorSummary } from '../../../../forms/error-summary.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { UsernameHint } from '../../../../forms/fields/own-password.tsx';
import { PasswordField } from '../../../../forms/fields/password-field.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { passwordHint } from '../../../sign-in/forms.ts';
import { passwordForm } from './password.ts';
import { profilePath } from './profile.ts';

/** Changes the password, which ends the user's other sessions and renews this one. */
export function PasswordForm({ viewer }: { viewer: Viewer }) {
  const form = useShopForm(passwordForm, useRejectedForm(passwordForm.name));
  const { isSubmitting, submitCount } = form.formState;
  const [search] = useSearchParams();
  const [changed, setChanged] = useState(search.get('done') === passwordForm.doneCode);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  const send = form.handleSubmit(async (values) => {
    setChanged(false);
    try {
      await passwordForm.send(getSession(), values);
    } catch (error) {
      form.showError(error);
      return;
    }
    toast('Your password is changed.');
    setChanged(true);
    form.reset({ currentPassword: '', newPassword: '' });
    // The session has been renewed, so get its token. Without one, calls rely on the cookie.
    await getSession()
      .refresh()
      .then(revalidate)
      .catch(() => {});
  });

  return (
    <form method="post" action={profilePath} noValidate onSubmit={send} onInput={() => setChanged(false)}>
      <input type="hidden" name="viewer" value={viewer._id} />
      <input type="hidden" name="form" value={passwordForm.name} />
      <h3 className="mb-4 text-xl">Change password</h3>
      <p className="mb-6 text-soft">Passkeys stay. Remove any that you do not recognize.</p>
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
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
      <Button type="submit" kind="plain" busy={isSubmitting}>
        Change password
      </Button>
      <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
      {changed && (
        <p className="mt-4">
          <StatusBadge tone="done">Changed. You are signed out everywhere else.</StatusBadge>
        </p>
      )}
    </form>
  );
}
