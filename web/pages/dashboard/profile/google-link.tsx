import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../../../components/button.tsx';
import { Refusal } from '../../../forms/refusal-message.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { sayWhy } from '../../../client/failure.ts';
import { linkGoogle } from '../../../client/google.ts';
import { session } from '../../../client/session.ts';

/** What Google's way back says, by its `?error=`. */
const failures = new Map([
  [
    'account_already_linked_to_different_user',
    'That Google account belongs to another account of this shop.',
  ],
  ['access_denied', 'Linking with Google was cancelled.'],
  ['unable_to_link_account', 'Google has not confirmed the address of that account, so it cannot be linked.'],
]);

/** Links a Google account to this one: only its signed-in owner may do so, so it stands here. */
export function GoogleLink({ linked }: { linked: boolean }) {
  const [search] = useSearchParams();
  const [refused, setRefused] = useState<string>();
  const [busy, setBusy] = useState(false);
  const failed = search.get('error');
  const message = refused ?? (failed && (failures.get(failed) ?? 'Google could not be linked. Try again.'));

  async function leave() {
    setBusy(true);
    setRefused(undefined);
    try {
      await session().confirm();
      await linkGoogle({ callbackURL: '/dashboard?google=linked', errorCallbackURL: '/dashboard' });
    } catch (error) {
      setRefused(sayWhy(error));
      setBusy(false);
    }
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
            Link a Google account and sign in here without a password. Its address may be another one than
            yours here.
          </p>
          <Button kind="plain" busy={busy} onClick={leave}>
            Link Google
          </Button>
        </>
      )}
      <div role="alert">{message && <Refusal>{message}</Refusal>}</div>
    </div>
  );
}
