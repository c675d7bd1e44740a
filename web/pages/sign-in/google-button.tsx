import { useState } from 'react';
import { homePage, loginPage } from '../../../contract/page-addresses.ts';
import { signInWithGoogle } from '../../client/google.ts';
import { Button } from '../../components/button.tsx';
import { ErrorMessage } from '../../forms/fields/error-message.tsx';
import { useSettings } from '../../shop.tsx';

type Props = {
  /** Where to go after signing in with Google. */
  returnPath: string;
  /** The `?error=` code of Google's callback. */
  errorCode: string | null;
};

const errorMessages = new Map([
  [
    'account_not_linked',
    'That address already has an account here. Sign in with its password; you can then link Google from your account.',
  ],
  ['email_not_found', 'Google has not confirmed that address, so it cannot be used here.'],
  ['access_denied', 'Sign-in with Google was cancelled.'],
]);

/** The path is percent-encoded in another URL, which can triple its length. The server accepts 1,000 characters. */
const maxReturnPathLength = 300;

/** The Google button, and why signing in with it has failed. */
export function GoogleButton({ returnPath, errorCode }: Props) {
  const { google } = useSettings();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const message =
    error ?? (errorCode && (errorMessages.get(errorCode) ?? 'Google could not sign you in. Try again.'));
  const signIn = async () => {
    setBusy(true);
    const callbackURL = returnPath.length > maxReturnPathLength ? homePage : returnPath;
    const errorCallbackURL = `${loginPage}?from=${encodeURIComponent(callbackURL)}`;
    await signInWithGoogle({ callbackURL, errorCallbackURL }).catch(({ message }: Error) =>
      setError(message),
    );
    // The button is enabled after a success, too, because Back may show this page as it was left.
    setBusy(false);
  };
  return (
    <>
      <div role="alert">{message && <ErrorMessage>{message}</ErrorMessage>}</div>
      {google && (
        <>
          <p className="caps my-6 flex items-center gap-4 text-soft before:h-px before:grow before:bg-rule after:h-px after:grow after:bg-rule">
            or
          </p>
          <Button kind="plain" busy={busy} onClick={signIn} className="noscript:hidden w-full">
            Continue with Google
          </Button>
          <noscript>
            <p className="text-sm text-soft">
              Signing in with Google needs JavaScript: turn it on in this browser, or use a password.
            </p>
          </noscript>
        </>
      )}
    </>
  );
}
