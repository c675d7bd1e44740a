import { loadOnce } from '../config/load-once.ts';
import { normalizePassword } from './credentials.ts';

/** Passwords specific to this shop, in lower case. They are matched without digits and punctuation. */
const shopWords = new Set(
  `clockwork clockrepair clockmaker clocktools clockshop watchmaker watchmaking handtool handtools handtoolsshop toolshop
  mainspring escapement pendulum pivotgauge adminadmin shopadmin password passwort welcome`.split(/\s+/),
);

/** About 49,000 passwords from published breaches. Loaded on first use. */
const loadBreached = loadOnce(async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
});

/** Why a password is easily guessed, or undefined if it is not. `personal` are the user's name and email address. */
export async function findWeakness(password: string, personal: string[] = []): Promise<string | undefined> {
  const breached = await loadBreached();
  const candidate = normalizePassword(password).toLowerCase();
  const ownWords = personal.map((text) => text.toLowerCase()).flatMap((text) => [text, text.split('@')[0]]);
  if (breached.has(candidate)) return 'it is in lists of stolen passwords';
  if (ownWords.includes(candidate)) return 'it is your name or your email address';
  if (shopWords.has(candidate.replace(/[^\p{L}]/gu, ''))) return 'it is a common word or a word of this shop';
  return undefined;
}
