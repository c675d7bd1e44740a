import { loadOnce } from '../config/load-once.ts';

/** What somebody who guesses at this shop would try, whatever signs and numbers stand about it; in lower case. */
const ours = new Set(
  `clockwork clockrepair clockmaker clocktools clockshop watchmaker watchmaking handtool handtools handtoolsshop
  toolshop mainspring escapement pendulum pivotgauge adminadmin shopadmin password passwort welcome`.split(
    /\s+/,
  ),
);

/** Some 43,000 passwords of published breaches; loaded when the first password is chosen, as nothing else needs it. */
const getBreached = loadOnce(async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
});

/**
 * Whether a password is one of the first to be guessed: among the commonest of published breaches, a word of this
 * shop's, or what is known of the person (`about`: their e-mail and name).
 */
export async function isCommonPassword(password: string, about: string[] = []): Promise<boolean> {
  const breached = await getBreached();
  const guess = password.toLowerCase();
  const known = about.flatMap((text) => [text, text.split('@')[0] ?? '']).map((text) => text.toLowerCase());
  if (breached.has(guess) || known.includes(guess)) return true;
  return ours.has(guess.replace(/[^\p{L}]/gu, ''));
}
