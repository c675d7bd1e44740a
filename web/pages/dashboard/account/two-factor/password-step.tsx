import { useEffect } from 'react';
import { Button } from '../../../../components/button.tsx';
import { ErrorSummary } from '../../../../forms/error-summary.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { UsernameHint } from '../../../../forms/fields/own-password.tsx';
import { PasswordField } from '../../../../forms/fields/password-field.tsx';
import { useShopForm } from '../../../../forms/use-shop-form.ts';
import { passwordForm } from './forms.ts';

type Props = {
  email: string;
  button: string;
  kind?: 'primary' | 'danger';
  /** Throws an error that the form shows. */
  onPassword: (password: string) => Promise<void>;
  /** Leaves the form. */
  onCancel?: () => void;
};

/** Asks for the password before a change, in case someone else uses a session that was left open. */
export function PasswordStep({ email, button, kind = 'primary', onPassword, onCancel }: Props) {
  const form = useShopForm(passwordForm, undefined);
  const { isSubmitting, submitCount } = form.formState;
  const { setFocus } = form;
  // The button that opened the form is gone.
  useEffect(() => {
    if (onCancel) setFocus('password');
  }, [onCancel, setFocus]);
  const send = form.handleSubmit(({ password }) => onPassword(password).catch(form.showError));
  return (
    <form noValidate onSubmit={send} className="noscript:hidden max-w-form">
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      <UsernameHint email={email} />
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        enterKeyHint="go"
        {...form.field('password')}
      />
      <p className="flex flex-wrap gap-3">
        <Button type="submit" kind={kind} busy={isSubmitting}>
          {button}
        </Button>
        {onCancel && (
          <Button kind="plain" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </p>
      <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
    </form>
  );
}
