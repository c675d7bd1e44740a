import { createHash } from 'node:crypto';
import type { GoogleDatabase } from './tables.ts';

type Person = ReturnType<typeof toPerson>;

/** The two people that the account page offers. Their addresses are nobody's: `.example` is reserved. */
export const people: readonly Person[] = [
  toPerson('marit.lindqvist@gmail.example', true),
  toPerson('teodor.okafor@gmail.example', true),
];

/**
 * The person of an address, named after it, as claims. The `sub` (21 digits, as Google's) is the same for an
 * address in every database. There is no `picture`: nothing that is reachable offline has an https address.
 */
export function toPerson(address: string, verified: boolean) {
  const email = address.toLowerCase();
  const digits = BigInt(`0x${createHash('sha256').update(email).digest('hex')}`) % 10n ** 20n;
  const words = email
    .slice(0, email.lastIndexOf('@'))
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return {
    sub: `1${digits.toString().padStart(20, '0')}`,
    ...{ email, email_verified: verified },
    name: words.join(' ') || email,
    given_name: words[0] ?? email,
    family_name: words.slice(1).join(' '),
  };
}

/** Keeps who signed in, so that every process can tell; `email_verified` is as chosen last. */
export async function savePerson(db: GoogleDatabase, { sub, email, email_verified }: Person) {
  const row = { email, verified: email_verified ? 1 : 0 };
  await db
    .insertInto('google_person')
    .values({ sub, ...row })
    .onConflict((conflict) => conflict.column('sub').doUpdateSet(row))
    .execute();
}

export async function findPerson(db: GoogleDatabase, sub: string) {
  const row = await db.selectFrom('google_person').selectAll().where('sub', '=', sub).executeTakeFirst();
  return row && toPerson(row.email, Number(row.verified) === 1);
}
