import { createHash } from 'node:crypto';
import type { GoogleDatabase } from './tables.ts';

type Person = ReturnType<typeof toPerson>;

/** The two people that the account page offers. Their addresses cannot exist: `.example` is reserved. */
export const people: readonly Person[] = [
  toPerson('marit.lindqvist@gmail.example', true),
  toPerson('teodor.okafor@gmail.example', true),
];

/**
 * The claims of the person with this address; the name is derived from the address. The `sub` (21 digits, like Google's)
 * depends on the address only. There is no `picture`, since nothing reachable offline has an https URL.
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
    email,
    email_verified: verified,
    name: words.join(' ') || email,
    given_name: words[0] ?? email,
    family_name: words.slice(1).join(' '),
  };
}

/** Stores a person who signed in, for all processes. The latest choice of `email_verified` applies. */
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
