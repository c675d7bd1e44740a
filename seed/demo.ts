import type { Config } from '../server/config/config.ts';
import type { Database } from '../server/database/database.ts';
import { createAccount, generatePassword, setPassword } from '../server/identity/accounts.ts';
import { verifyPassword } from '../server/identity/credentials.ts';
import { seedCatalogue, seedReviews, seedSynonyms } from './seed.ts';

const password = 'clockwork';
const demoAccounts = [
  { email: 'admin@example.com', name: 'Ada Harrison', role: 'admin' as const },
  { email: 'customer@example.com', name: 'Tom Graham', role: null },
];

type Demo = {
  /** If others can reach the shop, replaces the demo accounts' well-known password with random ones. */
  secure: () => Promise<void>;
  /** Returns a message for the operator: how to sign in, or the new passwords. */
  describe: () => Promise<string>;
};

/** Seeds a new sandbox database. */
export async function openDemo(config: Config, database: Database): Promise<Demo> {
  const seeded = await database.db
    .selectFrom('setting')
    .select('value')
    .where('name', '=', 'demo planted')
    .executeTakeFirst();
  if (!seeded) {
    for (const person of demoAccounts)
      await createAccount(database, { ...person, password }, async (tx) => {
        const account = tx.updateTable('user').where('email', '=', person.email);
        await account.set({ emailVerified: true }).execute();
      });
    const { id } = await database.db
      .selectFrom('user')
      .select('id')
      .where('role', '=', 'admin')
      .executeTakeFirstOrThrow();
    await seedCatalogue(database, id);
    await seedReviews(database);
    await seedSynonyms(database);
    await database.db
      .insertInto('setting')
      .values({ name: 'demo planted', value: new Date().toISOString() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  if (config.loopback) {
    // Checking passwords takes as long as two sign-ins, so do it after startup, and ignore failures.
    return { secure: async () => undefined, describe: () => describeDemoAccounts(database).catch(() => '') };
  }
  let message = '';
  return {
    async secure() {
      message = await replacePasswords(database);
    },
    describe: async () => message,
  };
}

async function describeDemoAccounts(database: Database): Promise<string> {
  const accounts = await findUnsecuredAccounts(database);
  if (accounts.length === 0) return '';
  return `Demo accounts: ${accounts.map(({ email }) => email).join(' and ')}, password ${password}.`;
}

async function replacePasswords(database: Database): Promise<string> {
  const replaced: string[] = [];
  for (const { id, email } of await findUnsecuredAccounts(database)) {
    const newPassword = generatePassword();
    await setPassword(database, id, newPassword);
    replaced.push(`${email} ${newPassword}`);
  }
  if (replaced.length === 0) return '';
  return `Others can reach this shop, so the demo accounts have new passwords, shown only once: ${replaced.join(', ')}.`;
}

/**
 * The demo accounts that still have the well-known password. They are the oldest accounts, so a demo account with a changed
 * address is found by its id.
 */
async function findUnsecuredAccounts({ db }: Database): Promise<{ id: string; email: string }[]> {
  const rows = await db
    .selectFrom('user')
    .innerJoin('account', 'account.userId', 'user.id')
    .select(['user.id', 'user.email', 'account.password'])
    .where('account.providerId', '=', 'credential')
    .where((user) =>
      user.or([
        user(
          'user.email',
          'in',
          demoAccounts.map(({ email }) => email),
        ),
        user('user.id', 'in', ({ selectFrom }) =>
          selectFrom('user as first').select('first.id').orderBy('first.id').limit(demoAccounts.length),
        ),
      ]),
    )
    .orderBy('user.email')
    .execute();
  const unsecured: { id: string; email: string }[] = [];
  // Check one account after another: each check keeps a processor busy, and the starting shop needs the other processors.
  for (const { id, email, password: hash } of rows)
    if (hash && (await verifyPassword({ hash, password }))) unsecured.push({ id, email });
  return unsecured;
}
