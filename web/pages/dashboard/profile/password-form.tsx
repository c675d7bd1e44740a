import { useState } from 'react';
import { useRevalidator, useSearchParams } from 'react-router';
import { Button } from '../../../components/button.tsx';
import { ErrorSummary } from '../../../forms/error-summary.tsx';
import { PasswordField } from '../../../forms/password-field.tsx';
import { Refusal } from '../../../forms/refusal-message.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { session } from '../../../client/session.ts';
import { useRefused, useShopForm } from '../../../forms/use-shop-form.ts';
import { passwordHint } from '../../entrance/password.ts';
import { passwordForm } from './password.ts';
import { profileAddress } from './profile.ts';

/** A new password. It ends the person's other sessions and renews this one. */
export function PasswordForm({ email }: { email: string }) {
  const form = useShopForm(passwordForm, useRefused(passwordForm.name));
  const { isSubmitting, submitCount } = form.formState;
  const [search] = useSearchParams();
  const [changed, setChanged] = useState(search.get('done') === passwordForm.done);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  const send = form.handleSubmit(async (filled) => {
    setChanged(false);
    try {
      await session().confirm();
      await passwordForm.send(session(), filled);
    } catch (error) {
      form.showRefusal(error);
      return;
    }
    toast('Your password is changed.');
    setChanged(true);
    form.reset({ currentPassword: '', newPassword: '' });
    // This session is a new one, so its token is, too. Where it cannot be had, the cookie goes on.
    await session()
      .refresh()
      .then(revalidate)
      .catch(() => {});
  });

  return (
    <form method="post" action={profileAddress} noValidate onSubmit={send} onInput={() => setChanged(false)}>
      <input type="hidden" name="form" value={passwordForm.name} />
      <h3 className="mb-4 text-xl">Change password</h3>
      <ErrorSummary errors={form.listErrors()} tries={submitCount} />
      {/* Tells password managers whose password it is. */}
      <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
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
      <div role="alert">{form.root && <Refusal>{form.root}</Refusal>}</div>
      {changed && (
        <p className="mt-4">
          <StatusBadge tone="done">Changed. You are signed out everywhere else.</StatusBadge>
        </p>
      )}
    </form>
  );
}
