import { useState } from 'react';
import { getErrorMessage } from '../../client/api/error-message.ts';
import { signInWithPasskey } from '../../client/passkeys.ts';
import { Button } from '../../components/button.tsx';
import { ErrorMessage } from '../../forms/fields/error-message.tsx';

type Props = { onSignedIn: () => Promise<void> };

/** Signs in with a passkey instead of email address, password and code. */
export function PasskeyButton({ onSignedIn }: Props) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const signIn = async () => {
    setBusy(true);
    setProblem('');
    try {
      await signInWithPasskey();
      await onSignedIn();
    } catch (error) {
      setProblem(getErrorMessage(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button kind="plain" busy={busy} onClick={signIn} className="noscript:hidden mt-3 w-full">
        Sign in with a passkey
      </Button>
      <div role="alert">{problem && <ErrorMessage>{problem}</ErrorMessage>}</div>
    </>
  );
}
