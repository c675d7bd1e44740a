import { ask, IdentityRefused } from './identity.ts';

/** Where Google sends people back to, and where it does so with `?error=`. */
type Back = { callbackURL: string; errorCallbackURL: string };

/** Leaves for Google to sign in with it. */
export const signInWithGoogle = (back: Back): Promise<void> =>
  leave(
    '/sign-in/social',
    back,
    'Google did not answer. Sign in with your password, or try again in a moment.',
  );

/** Leaves for Google to link an account of it to that of who is signed in. */
export const linkGoogle = (back: Back): Promise<void> =>
  leave('/link-social', back, 'Google did not answer. Try again in a moment.');

async function leave(path: string, back: Back, unanswered: string): Promise<void> {
  const answer = await ask(path, { provider: 'google', ...back });
  if (typeof answer !== 'object' || !answer || !('url' in answer) || typeof answer.url !== 'string')
    throw new IdentityRefused(unanswered);
  location.assign(answer.url);
}
