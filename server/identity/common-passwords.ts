import { loadOnce } from '../config/load-once.ts';

/** Passwords specific to this shop, in lower case. They are matched without digits and punctuation. */
const shopWords = new Set(
  `clockwork clockrepair clockmaker clocktools clockshop watchmaker watchmaking handtool handtools handtoolsshop toolshop
  mainspring escapement pendulum pivotgauge adminadmin shopadmin password passwort welcome`.split(/\s+/),
);

/** 43,000 passwords from published breaches. Loaded on first use. */
const loadBreached = loadOnce(async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
});

/** Whether a password is common in published breaches, a word of this shop, or the user's name or email (`personal`). */
export async function isCommonPassword(password: string, personal: string[] = []): Promise<boolean> {
  const breached = await loadBreached();
  const candidate = password.toLowerCase();
  const ownWords = personal.map((text) => text.toLowerCase()).flatMap((text) => [text, text.split('@')[0]]);
  if (breached.has(candidate) || ownWords.includes(candidate)) return true;
  return shopWords.has(candidate.replace(/[^\p{L}]/gu, ''));
}
