import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Refusal } from '../../forms/refusal-message.tsx';
import { signInWithGoogle } from '../../client/google.ts';
import { useSettings } from '../../shop.tsx';

type Props = {
  /** Where Google sends people back to. */
  back: string;
  /** What Google's way back said went wrong. */
  failed: string | null;
  /** What the identity service said to the form. */
  refused: string | undefined;
  onRefused: (message: string) => void;
};

const failures = new Map([
  [
    'account_not_linked',
    'That address already has an account here. Sign in with its password; Google can be joined to it from the profile.',
  ],
  ['email_not_found', 'Google has not confirmed that address, so it cannot be used here.'],
  ['access_denied', 'Sign-in with Google was cancelled.'],
]);

/** The foot of both forms: what was refused, in red, and the other way in. */
export function GoogleButton({ back, failed, refused, onRefused }: Props) {
  const { google } = useSettings();
  const [busy, setBusy] = useState(false);
  const message = refused ?? (failed && (failures.get(failed) ?? 'Google could not sign you in. Try again.'));
  const leave = async () => {
    setBusy(true);
    const errorCallbackURL = `/login?from=${encodeURIComponent(back)}`;
    await signInWithGoogle({ callbackURL: back, errorCallbackURL }).catch((error: Error) => {
      onRefused(error.message);
      setBusy(false);
    });
  };
  return (
    <>
      <div role="alert">{message && <Refusal>{message}</Refusal>}</div>
      {google && (
        <>
          <p className="caps my-6 flex items-center gap-4 text-soft before:h-px before:grow before:bg-rule after:h-px after:grow after:bg-rule">
            or
          </p>
          <Button kind="plain" busy={busy} onClick={leave} className="noscript:hidden w-full">
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
