import { loadOnce } from '../config/load-once.ts';

/** Guesses specific to this shop, in lower case. They are matched without digits and punctuation. */
const shopWords = new Set(
  `clockwork clockrepair clockmaker clocktools clockshop watchmaker watchmaking handtool handtools handtoolsshop toolshop
  mainspring escapement pendulum pivotgauge adminadmin shopadmin password passwort welcome`.split(/\s+/),
);

/** 43,000 passwords from published breaches. Loaded on first use. */
const loadBreached = loadOnce(async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
});

/** Common in published breaches, a word from this shop, or the user's name or e-mail address (`personal`). */
export async function isCommonPassword(password: string, personal: string[] = []): Promise<boolean> {
  const breached = await loadBreached();
  const guess = password.toLowerCase();
  const guesses = personal.flatMap((text) => [text, text.split('@')[0]]).map((text) => text?.toLowerCase());
  if (breached.has(guess) || guesses.includes(guess)) return true;
  return shopWords.has(guess.replace(/[^\p{L}]/gu, ''));
}
