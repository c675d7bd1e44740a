import { useLocation, useSearchParams } from 'react-router';
import { useHydrated } from '../../client/hydration.ts';
import { useViewer } from '../../client/viewer.ts';
import { useSettings } from '../../shop.tsx';

/** After sign-up, says that a message with a link that confirms the address was sent. */
export function NewAccountNotice() {
  const viewer = useViewer();
  const { sendsMail } = useSettings();
  const { state } = useLocation();
  const [search] = useSearchParams();
  // After a reload, the browser still has the navigation's state, but the server doesn't know it. So wait for hydration.
  const isHydrated = useHydrated();
  const isNew = (isHydrated && state?.isNewAccount === true) || search.get('done') === 'signup';
  if (!isNew || !sendsMail || !viewer || viewer.emailVerified) return null;
  return (
    <p role="status" className="mb-6 max-w-text text-soft">
      {'We’ve sent an email to '}
      <strong className="font-medium wrap-anywhere text-ink">{viewer.email}</strong>
      {'. Open the link in it to confirm your address. You can place orders before that.'}
    </p>
  );
}
