import { expect, test } from 'vitest';
import { makeFolder } from '../../tests/support/database.ts';
import { findFreePort } from '../../tests/support/port.ts';
import { runProgram } from '../../tests/support/server.ts';

/** Makes the first import of two modules fail, as it may while a build replaces them. */
const hooks = `
  import { registerHooks } from 'node:module';
  const missing = new Set(['./auth.ts', '@zxcvbn-ts/language-common']);
  registerHooks({
    resolve(name, context, next) {
      if (missing.delete(name)) throw new Error('There is no ' + name);
      return next(name, context);
    },
  });
`;

test('a module that failed to load is loaded by the next call', async () => {
  const PORT = `${await findFreePort()}`;
  const origin = `http://localhost:${PORT}`;
  const shop = runProgram(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`, 'server/main.ts'],
    { DATA_DIR: makeFolder(), PORT },
  );
  await shop.firstLine();
  const statuses = [];
  for (const _ of [1, 2, 3]) {
    const form = { name: 'Tom Graham', email: 'tom.graham@example.com', password: 'anchor-escapement' };
    const response = await fetch(`${origin}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(form),
    });
    statuses.push(response.status);
  }
  expect([statuses, shop.output.err]).toEqual([
    [500, 500, 200],
    expect.stringContaining('There is no ./auth.ts'),
  ]);
});
