import type { Config } from '../server/config.ts';
import type { Database } from '../server/database/database.ts';
import { createAccount, findWithPassword, makePassword, setPassword } from '../server/identity/accounts.ts';
import { plantCatalogue, plantReviews } from './plant.ts';

const password = 'clockwork';
const people = [
  { email: 'admin@example.com', name: 'Ada Harrison', role: 'admin' as const },
  { email: 'customer@example.com', name: 'Tom Graham', role: null },
];

/**
 * Fills a new sandbox database once, and keeps a shop that others can reach from standing open: there, demo
 * people who still have the known password get random ones. `pictures` is the folder of the catalogue's
 * pictures, made by the build. Gives what makes a sentence for the shopkeeper.
 */
export async function plantDemo(
  config: Config,
  database: Database,
  pictures: string,
): Promise<() => Promise<string>> {
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
  // Trying the password takes as long as a sign-in: a shop that only this machine reaches is opened before.
  // It is open when it is asked, and not to be ended for the want of a sentence.
  if (config.loopback) return () => describeDemo(database).catch(() => '');
  const told = await closeDemo(database);
  return async () => told;
}

async function describeDemo(database: Database): Promise<string> {
  const open = await findOpen(database);
  if (open.length === 0) return '';
  return `Demo people: ${open.map(({ email }) => email).join(' and ')}, password ${password}.`;
}

async function closeDemo(database: Database): Promise<string> {
  const told: string[] = [];
  for (const { id, email } of await findOpen(database)) {
    const made = makePassword();
    await setPassword(database, id, made);
    told.push(`${email} ${made}`);
  }
  if (told.length === 0) return '';
  return `Others can reach this shop, so the demo people have new passwords, told this once: ${told.join(', ')}.`;
}

const findOpen = (database: Database) =>
  findWithPassword(
    database,
    people.map(({ email }) => email),
    password,
  );
