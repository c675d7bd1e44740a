import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig } from '../server/config/config.ts';
import { settings } from '../server/config/settings.ts';
import { runProgram } from './support/server.ts';
import { startShop } from './support/shop.ts';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const {
  scripts,
  optionalDependencies,
}: Record<'scripts' | 'optionalDependencies', Record<string, string>> = JSON.parse(read('package.json'));

test('the image has the Node that package.json pins', () => {
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  const pinned = new Set(Object.values(optionalDependencies));
  expect(new Set(bases)).toEqual(new Set([...pinned].map((version) => `node:${version}-trixie-slim`)));
});

test('image and unit start the shop with the bounds on memory of npm start', () => {
  const bounds = scripts.start?.match(/--max\S+/g) ?? [];
  expect(bounds).toHaveLength(2);
  const command = /^CMD (\[.*\])$/m.exec(read('Dockerfile'))?.[1] ?? '[]';
  expect(JSON.parse(command)).toEqual(['node', ...bounds, 'dist/shop/main.js']);
  expect(read('deploy/shop@.service')).toContain(
    `\nExecStart=/usr/bin/env PORT=%i /srv/shop/node_modules/.bin/node ${bounds.join(' ')} dist/shop/main.js\n`,
  );
});

test('the backup of each night is made with the settings of the shop', () => {
  const own = /^(User|WorkingDirectory|EnvironmentFile|Environment|UMask)=.*$/gm;
  const backup = read('deploy/shop-backup.service');
  expect(backup.match(own)).toHaveLength(5);
  expect(read('deploy/shop@.service').match(own)).toEqual(expect.arrayContaining(backup.match(own) ?? []));
  expect(backup).toContain(' server/operations/commands/backup.ts ');
});

test('the example of settings names settings alone, and tries the shop out with SANDBOX=yes', () => {
  const lines = read('deploy/env.example').split('\n');
  const pairs = lines.filter((line) => line && !line.startsWith('#')).map((line) => line.split('='));
  const given: Record<string, string> = Object.fromEntries(pairs);
  const others = Object.keys(given).filter((name) => !(name in settings.shape));
  // The database's own.
  expect(others).toEqual(['POSTGRES_PASSWORD']);
  expect(readConfig({ ...given, NODE_ENV: 'production', SANDBOX: 'yes' })).toMatchObject({
    services: undefined,
    trustedProxies: ['127.0.0.1', '::1'],
  });
});

test('a container is healthy while its shop answers', async () => {
  const check = (PORT: string) => runProgram(process.execPath, ['deploy/healthy.ts'], { PORT }).ended;
  const shop = await startShop();
  await shop.listen();
  const port = `${shop.config.port}`;
  expect(await check(port)).toEqual({ code: 0, signal: null, out: '', err: '' });
  await shop.close();
  expect(await check(port)).toEqual({ code: 1, signal: null, out: '', err: '' });
});
