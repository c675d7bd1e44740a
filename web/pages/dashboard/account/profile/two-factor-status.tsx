import { twoFactorPage } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ButtonLink } from '../../../../components/button.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';

export function TwoFactorStatus({ viewer: { twoFactor, signsInWith } }: { viewer: Viewer }) {
  return (
    <div>
      <h3 className="mb-4 text-xl">Two-factor sign-in</h3>
      {twoFactor ? (
        <p className="mb-6">
          <StatusBadge tone="done">On. Your password alone is not enough to sign in.</StatusBadge>
        </p>
      ) : (
        <p className="mb-6 text-soft">
          When it is on, signing in with your password also requires a code from an app on your phone, so a
          stolen password is not enough.
        </p>
      )}
      {signsInWith?.includes('password') ? (
        <ButtonLink to={twoFactorPage} kind="plain">
          {twoFactor ? 'Recovery codes and settings' : 'Set up two-factor sign-in'}
        </ButtonLink>
      ) : (
        <p className="text-soft">You sign in with Google only, which has a second step of its own.</p>
      )}
    </div>
  );
}
