import type { Config } from '../server/config/config.ts';
import type { Database } from '../server/database/database.ts';
import { createAccount, findWithPassword, makePassword, setPassword } from '../server/identity/accounts.ts';
import { plantCatalogue, plantReviews } from './plant.ts';

const password = 'clockwork';
const people = [
  { email: 'admin@example.com', name: 'Ada Harrison', role: 'admin' as const },
  { email: 'customer@example.com', name: 'Tom Graham', role: null },
];

type Demo = {
  /** If others can reach the shop, replaces the demo accounts' known password with random ones. */
  secure: () => Promise<void>;
  /** A sentence for the operator: how to sign in, or the new passwords. */
  describe: () => Promise<string>;
};

/** Fills a new sandbox database once. `pictures` is the folder of the catalogue's pictures, made by the build. */
export async function openDemo(config: Config, database: Database, pictures: string): Promise<Demo> {
  const planted = await database.db
    .selectFrom('setting')
    .select('value')
    .where('name', '=', 'demo planted')
    .executeTakeFirst();
  if (!planted) {
    for (const person of people) await createAccount(database, { ...person, password });
    await plantCatalogue(database, pictures, 'admin@example.com');
    await plantReviews(database, pictures);
    await database.db
      .insertInto('setting')
      .values({ name: 'demo planted', value: new Date().toISOString() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  if (config.loopback) {
    // Checking the passwords takes as long as two sign-ins, so the shop opens first, and a failure must not stop it.
    return { secure: async () => undefined, describe: () => describeOpen(database).catch(() => '') };
  }
  let sentence = '';
  return {
    async secure() {
      sentence = await replacePasswords(database);
    },
    describe: async () => sentence,
  };
}

async function describeOpen(database: Database): Promise<string> {
  const open = await findOpen(database);
  if (open.length === 0) return '';
  return `Demo people: ${open.map(({ email }) => email).join(' and ')}, password ${password}.`;
}

async function replacePasswords(database: Database): Promise<string> {
  const replaced: string[] = [];
  for (const { id, email } of await findOpen(database)) {
    const made = makePassword();
    await setPassword(database, id, made);
    replaced.push(`${email} ${made}`);
  }
  if (replaced.length === 0) return '';
  return `Others can reach this shop, so the demo accounts have new passwords, shown only once: ${replaced.join(', ')}.`;
}

const findOpen = (database: Database) =>
  findWithPassword(
    database,
    people.map(({ email }) => email),
    password,
  );
