import { passkeysPage } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ButtonLink } from '../../../../components/button.tsx';
import { useSettings } from '../../../../shop.tsx';
import { ConfirmationForm } from './confirmation-form.tsx';
import { EmailForm } from './email-form.tsx';
import { GoogleLink } from './google-link.tsx';
import { PasswordForm } from './password-form.tsx';
import { TwoFactorStatus } from './two-factor-status.tsx';

type Props = { viewer: Viewer; signsInWith: NonNullable<Viewer['signsInWith']> };

/** How the user signs in, and the forms that change it. */
export function SigningIn({ viewer, signsInWith }: Props) {
  const { google, sendsMail } = useSettings();
  const [byPassword, byGoogle] = [signsInWith.includes('password'), signsInWith.includes('google')];
  return (
    <section aria-labelledby="signing-in" className="mt-16 border-t-2 border-edge pt-6">
      <h2 id="signing-in" className="mb-2 text-2xl">
        Signing in
      </h2>
      <p className="mb-6 max-w-text text-soft">
        You sign in as <strong className="font-medium wrap-anywhere text-ink">{viewer.email}</strong>
        {` with ${byPassword ? 'a password' : ''}${byPassword && byGoogle ? ' or ' : ''}${byGoogle ? 'Google' : ''}.`}
      </p>
      {(viewer.emailVerified || sendsMail) && (
        <div className="mb-10">
          <ConfirmationForm viewer={viewer}>You can place orders before you confirm.</ConfirmationForm>
        </div>
      )}
      <div className="grid gap-x-12 gap-y-12 lg:grid-cols-2">
        {sendsMail && <EmailForm viewer={viewer} hasPassword={byPassword} />}
        {byPassword && <PasswordForm viewer={viewer} />}
        {google && <GoogleLink linked={byGoogle} />}
        <TwoFactorStatus viewer={viewer} />
        <div>
          <h3 className="mb-4 text-xl">Passkeys</h3>
          <p className="mb-6 text-soft">
            Sign in with your fingerprint, your face or your device’s PIN instead of a password.
          </p>
          <ButtonLink to={passkeysPage} kind="plain">
            Passkeys
          </ButtonLink>
        </div>
      </div>
    </section>
  );
}
