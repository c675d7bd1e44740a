import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { dashboardPage } from '../../../../../contract/page-addresses.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { linkGoogle } from '../../../../client/google.ts';
import { Button } from '../../../../components/button.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';

/** Messages for the `?error=` codes of Google's callback. */
const errorMessages = new Map([
  [
    'account_already_linked_to_different_user',
    'That Google account belongs to another account of this shop.',
  ],
  ['access_denied', 'Linking with Google was cancelled.'],
  ['unable_to_link_account', 'Google has not confirmed the address of that account, so it cannot be linked.'],
]);

export function GoogleLink({ linked }: { linked: boolean }) {
  const [search] = useSearchParams();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const errorCode = search.get('error');
  const message =
    error ?? (errorCode && (errorMessages.get(errorCode) ?? 'Google could not be linked. Try again.'));

  async function link() {
    setBusy(true);
    setError(undefined);
    try {
      await linkGoogle({ callbackURL: `${dashboardPage}?google=linked`, errorCallbackURL: dashboardPage });
    } catch (error) {
      setError(getErrorMessage(error));
    }
    // The button is enabled after a success, too, because Back may show this page as it was left.
    setBusy(false);
  }

  return (
    <div>
      <h3 className="mb-4 text-xl">Google</h3>
      {linked ? (
        <StatusBadge tone="done">
          {search.get('google') === 'linked'
            ? 'Linked. From now on you can sign in with Google, too.'
            : 'A Google account is linked to this one.'}
        </StatusBadge>
      ) : (
        <>
          <p className="mb-6 text-soft">
            Link a Google account and sign in here without a password. It may have a different email address.
          </p>
          <Button kind="plain" busy={busy} onClick={link}>
            Link Google
          </Button>
        </>
      )}
      <div role="alert">{message && <ErrorMessage>{message}</ErrorMessage>}</div>
    </div>
  );
}
