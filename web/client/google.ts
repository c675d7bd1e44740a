import { IdentityError } from './api/identity.ts';
import { getSession } from './session.ts';

/** The URLs to return to after a success and after a failure, which adds `?error=`. */
type ReturnUrls = { callbackURL: string; errorCallbackURL: string };

export const signInWithGoogle = (returnUrls: ReturnUrls): Promise<void> =>
  redirectToGoogle(
    '/sign-in/social',
    returnUrls,
    'Google did not respond. Sign in with your password, or try again in a moment.',
  );

/** Links a Google account to the signed-in user's account. */
export const linkGoogle = (returnUrls: ReturnUrls): Promise<void> =>
  redirectToGoogle('/link-social', returnUrls, 'Google did not respond. Try again in a moment.');

async function redirectToGoogle(path: string, returnUrls: ReturnUrls, failureMessage: string): Promise<void> {
  const response = await getSession().callIdentity(path, { provider: 'google', ...returnUrls });
  if (typeof response !== 'object' || !response || !('url' in response) || typeof response.url !== 'string')
    throw new IdentityError(failureMessage);
  location.assign(response.url);
}
