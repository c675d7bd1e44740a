import { useState } from 'react';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { ConfirmDialog } from '../../../../components/feedback/dialog.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { OwnPassword } from '../../../../forms/fields/own-password.tsx';
import { type Passkey, removePasskey } from './passkeys.ts';

type Props = {
  passkey: Passkey;
  email: string;
  hasPassword: boolean;
  onRemoved: () => Promise<void>;
  onClose: () => void;
};

/** Asks for the password and removes the passkey. If that fails, the dialog stays open and says why. */
export function RemoveDialog({ passkey, email, hasPassword, onRemoved, onClose }: Props) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();

  async function remove() {
    try {
      await removePasskey(passkey, password);
    } catch (error) {
      setError(getErrorMessage(error));
      // A screen reader reads the error with the field.
      document.getElementById('ownPassword')?.focus();
      return false;
    }
    await onRemoved();
    return true;
  }

  return (
    <ConfirmDialog
      title={`Remove ${passkey.name}?`}
      confirmLabel="Remove"
      cancelLabel="Cancel"
      onConfirm={remove}
      onClose={onClose}
    >
      <p className="mb-4 text-soft">It will no longer work here. Delete it from your device as well.</p>
      <OwnPassword
        email={email}
        hasPassword={hasPassword}
        field={{
          // The page's other form has a `password`.
          name: 'ownPassword',
          value: password,
          error: hasPassword ? error : undefined,
          onChange: ({ target }) => setPassword(target.value),
        }}
      />
      <div role="alert">{!hasPassword && error && <ErrorMessage>{error}</ErrorMessage>}</div>
    </ConfirmDialog>
  );
}
