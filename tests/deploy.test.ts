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

test('the image has the Node version that package.json pins', () => {
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  const pinned = new Set(Object.values(optionalDependencies));
  expect(new Set(bases)).toEqual(new Set([...pinned].map((version) => `node:${version}-trixie-slim`)));
});

test('the image and the systemd unit start the shop with the V8 flags of npm start', () => {
  const flags = scripts.start?.split(' scripts/')[0]?.match(/--\S+/g) ?? [];
  expect(flags).toHaveLength(3);
  const command = /^CMD (\[.*\])$/m.exec(read('Dockerfile'))?.[1] ?? '[]';
  expect(JSON.parse(command)).toEqual(['node', ...flags, 'dist/shop/main.js']);
  expect(read('deploy/shop@.service')).toContain(
    `\nExecStart=/usr/bin/env PORT=%i /srv/shop/dist/node ${flags.join(' ')} dist/shop/main.js\n`,
  );
});

test('the nightly backup runs with the settings of the shop', () => {
  const directives = /^(User|WorkingDirectory|EnvironmentFile|Environment|UMask)=.*$/gm;
  const backup = read('deploy/shop-backup.service');
  expect(backup.match(directives)).toHaveLength(5);
  expect(read('deploy/shop@.service').match(directives)).toEqual(
    expect.arrayContaining(backup.match(directives) ?? []),
  );
  expect(backup).toContain(' server/operations/commands/backup.ts ');
});

test('the nightly backup is sandboxed like the shop', () => {
  const sandboxing = (unit: string) =>
    read(unit)
      .split('# Sandboxing')[1]
      ?.match(/^\w+=.*$/gm);
  expect(sandboxing('deploy/shop@.service')?.length).toBeGreaterThan(20);
  expect(sandboxing('deploy/shop-backup.service')).toEqual(
    sandboxing('deploy/shop@.service')?.filter((directive) => !directive.startsWith('WantedBy=')),
  );
});

test('the image contains no settings, databases or logs, wherever they lie', () => {
  const patterns = read('.dockerignore').split('\n');
  // The last pattern that matches decides.
  const excluded = patterns.slice(patterns.findLastIndex((pattern) => pattern.startsWith('!')) + 1);
  expect(excluded).toEqual(expect.arrayContaining(['**/.env*', '**/*.db', '**/*.db-*', '**/*.log']));
});

/** The commands in a section of the guide. */
const readCommands = (heading: string) => {
  const section = read('docs/operations.md')
    .split(/^#{2,3} /m)
    .find((text) => text.startsWith(heading));
  return [...(section?.matchAll(/```sh\n(.*?)```/gs) ?? [])].map(([, commands = '']) => commands).join('');
};

test('the guide uses only programs that a minimal Debian has or that the guide installs', () => {
  const commands = readCommands('One machine');
  const installed = /^apt-get install (.*)$/m.exec(commands)?.[1]?.split(' ');
  expect(installed).toEqual(expect.arrayContaining(['git', 'npm', 'libatomic1', 'ca-certificates', 'nano']));
  const programs = [...commands.matchAll(/^([\w.-]+) /gm)].map(([, program]) => program);
  const present = ['apt-get', 'useradd', 'cd', 'install', 'systemctl', 'systemd-run'];
  expect(programs.filter((program = '') => ![...present, ...(installed ?? [])].includes(program))).toEqual(
    [],
  );
});

test('the guide puts the domain into the configuration of the proxies', () => {
  const copied = [
    ...readCommands('HTTPS').matchAll(/sed 's\/shop\\.example\/YOUR-DOMAIN\/' \/srv\/shop\/(\S+)/g),
  ];
  expect(copied.map(([, file]) => file)).toEqual(['deploy/Caddyfile', 'deploy/nginx.conf']);
  for (const [, file = ''] of copied) {
    const lines = read(file).split('\n');
    expect(lines.some((line) => line.includes('shop.example'))).toBe(true);
    expect(lines.map((line) => line.replace('shop.example', '')).join()).not.toContain('shop.example');
  }
});

test('certbot renews the certificate through nginx, from the folder that the guide names', () => {
  const folder = /--webroot-path (\S+)/.exec(readCommands('HTTPS'))?.[1];
  const [, http = ''] = read('deploy/nginx.conf').split('\nserver {');
  expect(http).toContain('listen 80;');
  expect(http).toContain(`location /.well-known/acme-challenge/ {\n        root ${folder};`);
});

test('nginx logs no queries, which contain postcodes and secrets', () => {
  const config = read('deploy/nginx.conf');
  const [, format = ''] = /log_format shop ([^;]+);/.exec(config) ?? [];
  expect(format).toContain('$uri');
  expect(format).not.toMatch(/\$(request\b|request_uri|args|query_string|http_referer)/);
  expect(config.match(/access_log .+;/g)).toEqual(['access_log /var/log/nginx/access.log shop;']);
});

test('the guide for Docker names every setting without which compose.yaml does not start', () => {
  const required = [...read('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
  expect(new Set(required)).toEqual(new Set(['POSTGRES_PASSWORD', 'PUBLIC_URL']));
  for (const name of required) expect(readCommands('Docker')).toContain(name);
});

test('env.example contains only known settings, and starts with SANDBOX=yes', () => {
  const lines = read('deploy/env.example').split('\n');
  const pairs = lines.filter((line) => line && !line.startsWith('#')).map((line) => line.split('='));
  const example: Record<string, string> = Object.fromEntries(pairs);
  const unknown = Object.keys(example).filter((name) => !(name in settings.shape));
  // A setting of the database, not of the shop.
  expect(unknown).toEqual(['POSTGRES_PASSWORD']);
  expect(readConfig({ ...example, NODE_ENV: 'production', SANDBOX: 'yes' })).toMatchObject({
    services: undefined,
    trustedProxies: ['127.0.0.1', '::1'],
  });
});

test('the health check passes while the shop responds, and fails after it has stopped', async () => {
  const runHealthCheck = (PORT: string) =>
    runProgram(process.execPath, ['deploy/healthy.ts'], { PORT }).ended;
  const shop = await startShop();
  await shop.listen();
  const port = `${shop.config.port}`;
  expect(await runHealthCheck(port)).toEqual({ code: 0, signal: null, out: '', err: '' });
  await shop.close();
  expect(await runHealthCheck(port)).toEqual({ code: 1, signal: null, out: '', err: '' });
});
