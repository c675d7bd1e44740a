import { settings } from './settings.ts';

const names = Object.keys(settings.shape).filter((name) => !name.startsWith('OTEL_'));

/** Names that begin like this are meant for the shop, whatever follows. Variables with other prefixes may be another program's. */
const ownPrefix = /^(STRIPE|SMTP|IMAGE_HOST)_/;
/** Kubernetes sets such variables for each service. */
const serviceVariable = /_SERVICE_(HOST|PORT)|_TCP/;
/** Shorter names, such as NAME or HOSTNAME, are too common for a guess. */
const minPartLetters = 8;
const minTypoLetters = 9;
const minSimilarity = 0.77;

/** One sentence about each variable that is probably a misspelled setting, with the most similar setting. */
export function describeMisspelled(env: Record<string, string | undefined>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || name in settings.shape) return [];
    const nearest = findNearest(name.toUpperCase());
    return nearest ? [`${name} is set, but is not a setting of the shop: did you mean ${nearest}?`] : [];
  });
}

function findNearest(name: string): string | undefined {
  const candidates = names.filter((setting) => {
    const prefix = ownPrefix.exec(name)?.[0];
    if (prefix) return setting.startsWith(prefix) && !serviceVariable.test(name);
    // TEST_DATABASE_URL is another program's, but SHOP_DATABASE_URL is a mistake.
    if (name.endsWith(`_${setting}`)) return name === `SHOP_${setting}` && setting.length >= minPartLetters;
    // CURRENCY for SHOP_CURRENCY, DATABASE for DATABASE_URL.
    if (setting.startsWith(`${name}_`) || setting.endsWith(`_${name}`)) return name.length >= minPartLetters;
    return name.length >= minTypoLetters && measureSimilarity(name, setting) >= minSimilarity;
  });
  const byDistance = (a: string, b: string) => measureSimilarity(name, b) - measureSimilarity(name, a);
  return candidates.toSorted(byDistance)[0];
}

/** Sørensen and Dice's coefficient: the share of the pairs of letters that both names have, 0 to 1. */
function measureSimilarity(a: string, b: string): number {
  const [pairs, rest] = [listPairs(a), listPairs(b)];
  const total = pairs.length + rest.length;
  let shared = 0;
  for (const pair of pairs) {
    const at = rest.indexOf(pair);
    if (at < 0) continue;
    rest.splice(at, 1);
    shared += 1;
  }
  return (2 * shared) / total;
}

const listPairs = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2));
