import type { ComponentProps } from 'react';
import { PasswordField } from './password-field.tsx';

/** Tells password managers whose password a form asks for. */
export const UsernameHint = ({ email }: { email: string }) => (
  <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
);

type Props = {
  email: string;
  hasPassword: boolean;
  /** `form.field('password')` */
  field: Omit<ComponentProps<typeof PasswordField>, 'label'>;
};

/** Asks for the user's password before a change, in case someone else uses a session that was left open. */
export function OwnPassword({ email, hasPassword, field }: Props) {
  return (
    <>
      <UsernameHint email={email} />
      {hasPassword ? (
        <PasswordField
          label="Password"
          autoComplete="current-password"
          hint="To make sure that it’s you."
          {...field}
        />
      ) : (
        <p className="mb-6 text-soft">
          To make sure that it’s you, you must have signed in with Google within the last ten minutes. If it
          was longer ago, sign out and in again first.
        </p>
      )}
    </>
  );
}
