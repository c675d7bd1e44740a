import { createIndexes } from '../index-migration.ts';
import type { Engine } from '../schema.ts';

/** Indexes for finding the few admins, and users by the start of their email address or of a word of their name. */
export const { prepare, up } = createIndexes((engine) => [
  `"user_admin" on "user" ("id") where "role" = 'admin'`,
  ...Object.entries(expressions[engine]).map(([name, expression]) => `"${name}" on "user" ((${expression}))`),
]);

/** The search uses the same expressions (`server/shop/users/find-users.ts`). */
const expressions: Record<Engine, Record<string, string>> = {
  // The unique index of the email address serves its prefixes.
  sqlite: {
    user_name: 'lower(name)',
    user_second_word: "lower(substr(name, instr(name, ' ') + 1))",
    // Without the last word, the trimmed name is the text before it.
    user_last_word: "lower(replace(name, rtrim(name, replace(name, ' ', '')), ''))",
  },
  // In the order of the bytes, as on SQLite: the database's own order may not be that of prefixes.
  postgres: {
    user_email: 'email collate "C"',
    user_name: 'lower(name) collate "C"',
    user_second_word: `lower(substr(name, strpos(name, ' ') + 1)) collate "C"`,
    user_last_word: `lower(substring(name from '[^ ]*$')) collate "C"`,
  },
};
