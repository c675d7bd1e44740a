import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useRevalidator } from 'react-router';
import { z } from 'zod';
import { Button } from '../../../components/button.tsx';
import { ErrorSummary } from '../../../components/error-summary.tsx';
import { PasswordField } from '../../../components/password-field.tsx';
import { Refusal } from '../../../components/refusal.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useToast } from '../../../components/toast.tsx';
import { sayWhy } from '../../../failure.ts';
import { bySchema } from '../../../form.ts';
import { listErrors } from '../../../form-errors.ts';
import { ask } from '../../../identity.ts';
import { session } from '../../../session.ts';
import { password, passwordHint } from '../../entrance/password.ts';

const schema = z.object({
  currentPassword: z.string().min(1, 'Current password is Required'),
  newPassword: password,
});

const empty = { currentPassword: '', newPassword: '' };

/** A new password. It ends the person's other sessions and renews this one. */
export function PasswordForm({ email }: { email: string }) {
  const form = useForm({ resolver: bySchema(schema), defaultValues: empty, shouldFocusError: false });
  const { errors, isSubmitting, submitCount } = form.formState;
  const [changed, setChanged] = useState(false);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  const send = form.handleSubmit(async (filled) => {
    setChanged(false);
    try {
      await session().confirm();
      await ask('/change-password', filled);
    } catch (error) {
      form.setError('root', { message: sayWhy(error) });
      return;
    }
    toast('Your password is changed.');
    setChanged(true);
    form.reset(empty);
    // This session is a new one, so its token is, too. Where it cannot be had, the cookie goes on.
    await session()
      .refresh()
      .then(revalidate)
      .catch(() => {});
  });

  return (
    <form method="post" noValidate onSubmit={send} onInput={() => setChanged(false)}>
      <h3 className="mb-4 text-xl">Change password</h3>
      <ErrorSummary errors={listErrors(errors, Object.keys(empty))} tries={submitCount} />
      {/* Tells password managers whose password it is. */}
      <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        error={errors.currentPassword?.message}
        {...form.register('currentPassword')}
      />
      <PasswordField
        label="New password"
        autoComplete="new-password"
        hint={passwordHint}
        error={errors.newPassword?.message}
        {...form.register('newPassword')}
      />
      <Button type="submit" kind="plain" busy={isSubmitting}>
        Change password
      </Button>
      <div role="alert">{errors.root && <Refusal>{errors.root.message}</Refusal>}</div>
      {changed && (
        <p className="mt-4">
          <StatusBadge tone="done">Changed. You are signed out everywhere else.</StatusBadge>
        </p>
      )}
    </form>
  );
}
