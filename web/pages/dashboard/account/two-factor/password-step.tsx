import { useEffect } from 'react';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { UsernameHint } from '../../../../forms/fields/own-password.tsx';
import { PasswordField } from '../../../../forms/fields/password-field.tsx';
import type { PageForm } from '../../../../forms/page-form.ts';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';

type Props<Result> = {
  form: PageForm<Result>;
  viewer: Viewer;
  button: string;
  kind?: 'primary' | 'danger';
  onDone: (result: Result) => unknown;
  /** Leaves the form. */
  onCancel?: () => void;
};

/** Asks for the password before a change, in case someone else uses a session that was left open. */
export function PasswordStep<Result>({
  form: definition,
  viewer,
  button,
  kind = 'primary',
  onDone,
  onCancel,
}: Props<Result>) {
  const form = usePageForm(definition, { viewer, onDone });
  const { ref } = form.draft;
  // The button that opened the form is gone.
  useEffect(() => {
    if (onCancel) ref.current?.querySelector<HTMLInputElement>('[name=password]')?.focus();
  }, [onCancel, ref]);
  return (
    <form {...form.props} className="noscript:hidden max-w-form">
      <FormStart form={form} />
      <UsernameHint email={viewer.email} />
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        enterKeyHint="go"
        {...form.field('password')}
      />
      <p className="flex flex-wrap gap-3">
        <Button type="submit" kind={kind} busy={form.isBusy}>
          {button}
        </Button>
        {onCancel && (
          <Button kind="plain" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </p>
    </form>
  );
}
