/** What somebody who guesses at this shop would try, whatever signs and numbers stand about it; in lower case. */
const ours = new Set(
  `clockwork clockrepair clockmaker clocktools clockshop watchmaker watchmaking handtool handtools handtoolsshop
  toolshop mainspring escapement pendulum pivotgauge adminadmin shopadmin password passwort welcome`.split(
    /\s+/,
  ),
);

/** Some 43,000 passwords of published breaches; loaded when the first password is chosen, as nothing else needs it. */
const loadBreached = () =>
  import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']));
let breached: ReturnType<typeof loadBreached> | undefined;

/**
 * Whether a password is one of the first to be guessed: among the commonest of published breaches, a word of this
 * shop's, or what is known of the person (`about`: their e-mail and name).
 */
export async function isCommonPassword(password: string, about: string[] = []): Promise<boolean> {
  breached ??= loadBreached().catch((error: unknown) => {
    breached = undefined;
    throw error;
  });
  const guess = password.toLowerCase();
  const known = about.flatMap((text) => [text, text.split('@')[0] ?? '']).map((text) => text.toLowerCase());
  if ((await breached).has(guess) || known.includes(guess)) return true;
  return ours.has(guess.replace(/[^\p{L}]/gu, ''));
}
