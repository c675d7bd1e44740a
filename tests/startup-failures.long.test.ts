import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder } from './support/database.ts';
import { findFreePort } from './support/port.ts';
import { builtServerPath, runCommand, runProgram, startServer } from './support/server.ts';
import { startShop } from './support/shop.ts';
import { createShopClient } from './support/shop-client.ts';

let DATA_DIR: string;
let PORT: string;

beforeEach(async () => {
  DATA_DIR = makeFolder();
  PORT = `${await findFreePort()}`;
});
afterEach(() => rmSync(DATA_DIR, { recursive: true, force: true }));

const oneSentence = /^[^\n]+\.\n$/;
const files = ['auth-secret', 'server.lock', 'sandbox.db', 'shop.db'];
const makeAdmin = ['server/operations/commands/make-admin.ts', 'ada@example.com'];

/** Runs a program that must end with exit code 1 and one sentence, which is returned. */
async function expectFailure(args: string[], settings: Record<string, string> = {}): Promise<string> {
  const { code, out, err } = await runCommand(args, { DATA_DIR, PORT, ...settings }).ended;
  expect({ args, code, out }).toEqual({ args, code: 1, out: '' });
  expect(err).toMatch(oneSentence);
  return err;
}

async function runOnce(): Promise<void> {
  const server = await startServer({ DATA_DIR, PORT });
  await server.kill('SIGTERM');
}

describe('npm start names the file and what is wrong with it', () => {
  test.each(files)('%s is a folder', async (name) => {
    mkdirSync(join(DATA_DIR, name));
    expect(await expectFailure([builtServerPath])).toMatch(`${join(DATA_DIR, name)} is a folder`);
  });

  test.each(files)('%s contains garbage', async (name) => {
    writeFileSync(join(DATA_DIR, name), 'x'.repeat(5000));
    const sentence = await expectFailure([builtServerPath]);
    expect(sentence).toMatch(`${join(DATA_DIR, name)} is damaged`);
    expect(sentence).not.toMatch('another server');
  });

  test('auth-secret contains nothing but zeros, as after a power cut', async () => {
    writeFileSync(join(DATA_DIR, 'auth-secret'), Buffer.alloc(64));
    expect(await expectFailure([builtServerPath])).toMatch('auth-secret is damaged');
  });
});

test('npm start with live keys does not open a database that was created with test keys', async () => {
  const keys = (mode: 'test' | 'live') => ({
    SHOP_CURRENCY: 'USD',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    GOOGLE_SIGN_IN: 'off',
    STRIPE_SECRET_KEY: `sk_${mode}_1`,
    STRIPE_PUBLISHABLE_KEY: `pk_${mode}_1`,
  });
  const server = await startServer({ DATA_DIR, PORT, ...keys('test') });
  await server.kill('SIGTERM');
  expect(await expectFailure([builtServerPath], keys('live'))).toMatch(
    /^This database was created with Stripe’s test keys, but STRIPE_SECRET_KEY is a live key: /,
  );
});

describe('commands report the same problems with their files', () => {
  test('make-admin, reset-password and seed report a database that is a folder or damaged', async () => {
    const file = join(DATA_DIR, 'shop.db');
    const commands = [
      makeAdmin,
      ['server/operations/commands/reset-password.ts', 'a@b.c'],
      ['server/operations/commands/seed.ts'],
    ];
    mkdirSync(file);
    for (const args of commands) expect(await expectFailure(args)).toMatch(`${file} is a folder`);
    rmSync(file, { recursive: true });
    writeFileSync(file, 'x'.repeat(5000));
    for (const args of commands) expect(await expectFailure(args)).toMatch(`${file} is damaged`);
  });

  test('doctor reports a secret that the shop does not start with', async () => {
    const file = join(DATA_DIR, 'auth-secret');
    await runOnce();
    rmSync(file);
    const doctor = () => runCommand(['server/operations/commands/doctor.ts'], { DATA_DIR, PORT }).ended;
    mkdirSync(file);
    expect(await doctor()).toMatchObject({
      code: 1,
      err: '',
      out: expect.stringContaining(`${file} is a folder`),
    });
    rmSync(file, { recursive: true });
    writeFileSync(file, 'short');
    expect(await doctor()).toMatchObject({
      code: 1,
      err: '',
      out: expect.stringContaining(`${file} is damaged`),
    });
  });
});

/** Root ignores file permissions unless it drops these capabilities. */
const obeyPermissions =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : ['env'];
const canObey =
  process.platform !== 'win32' &&
  spawnSync(obeyPermissions[0] ?? '', [...obeyPermissions.slice(1), 'true']).status === 0;

describe.skipIf(!canObey)('a file that this user cannot access', () => {
  async function expectRestrictedFailure(...args: string[]): Promise<string> {
    const [program = '', ...options] = [...obeyPermissions, process.execPath, 'scripts/run.mjs', ...args];
    const { code, out, err } = await runProgram(program, options, { DATA_DIR, PORT }).ended;
    expect({ args, code, out }).toEqual({ args, code: 1, out: '' });
    expect(err).toMatch(oneSentence);
    return err;
  }

  test.each(files)('%s is unreadable', async (name) => {
    await runOnce();
    chmodSync(join(DATA_DIR, name), 0o000);
    expect(await expectRestrictedFailure(builtServerPath)).toMatch(
      `${join(DATA_DIR, name)} cannot be accessed by this user`,
    );
  });

  test('shop.db is read-only', async () => {
    await runOnce();
    const file = join(DATA_DIR, 'shop.db');
    chmodSync(file, 0o444);
    for (const args of [[builtServerPath], makeAdmin])
      expect(await expectRestrictedFailure(...args)).toMatch(`${file} cannot be accessed by this user`);
  });
});

const inNamespace = ['-rm', 'sh', '-c'];
const canMount = spawnSync('unshare', [...inNamespace, 'mount -t tmpfs tmpfs /mnt']).status === 0;

describe.skipIf(!canMount)('a full disk', () => {
  /** Starts the shop on a disk of `size` KB with `used` KB in use; returns its message and the files that it leaves. */
  async function startOnSmallDisk(size: number, used: number, ...args: string[]) {
    const script = [
      `mount -t tmpfs -o size=${size}k tmpfs "$DATA_DIR"`,
      `head -c ${used}k /dev/zero > "$DATA_DIR/taken"`,
      '"$@"; code=$?; ls -A "$DATA_DIR"; exit $code',
    ].join(' && ');
    const program = ['sh', process.execPath, 'scripts/run.mjs', ...args];
    const { code, out, err } = await runProgram('unshare', [...inNamespace, script, ...program], {
      DATA_DIR,
      PORT,
    }).ended;
    expect({ size, code, err }).toMatchObject({ code: 1, err: expect.stringMatching(oneSentence) });
    return { err, left: out.trim().split('\n') };
  }

  test('is reported, and no file is left behind', async () => {
    const { err, left } = await startOnSmallDisk(64, 64, builtServerPath);
    expect(err).toMatch(/^DATA_DIR .*the disk is full/);
    expect(left).toEqual(['taken']);
  });

  test.each([40, 80, 160, 320, 640, 1280])(
    'that fills up after %i KB is reported, at whatever point of the start',
    async (size) => {
      const { err, left } = await startOnSmallDisk(size, 0, builtServerPath);
      expect(err).toMatch('the disk is full');
      expect(left.filter((name) => /^probe-|^auth-secret\./.test(name))).toEqual([]);
    },
  );

  test('make-admin reports it in one sentence', async () => {
    const { err, left } = await startOnSmallDisk(160, 0, ...makeAdmin);
    expect(err).toMatch('the disk is full');
    expect(left.filter((name) => name.startsWith('probe-'))).toEqual([]);
  });
});

test('a HOST that is not this machine is reported in one sentence, and the demo accounts keep their passwords', async () => {
  await runOnce();
  expect(await expectFailure([builtServerPath], { HOST: '192.0.2.1' })).toMatch(/^HOST is "192\.0\.2\.1"/);
  const { origin } = await startServer({ DATA_DIR, PORT });
  await createShopClient(origin, fetch).signIn('customer@example.com', 'clockwork');
});

test('a request to a shop that others can reach waits until the demo accounts have new passwords', async () => {
  await using shop = await startShop({ demo: true, settings: { HOST: '0.0.0.0' } });
  if (!('file' in shop.config.database)) return expect.unreachable();
  const other = new DatabaseSync(shop.config.database.file);
  other.exec('begin immediate');
  const listening = shop.listen();
  await expect.poll(() => canConnect(shop.config.port)).toBe(true);
  const signIns = ['admin@example.com', 'customer@example.com'].map((email) =>
    fetch(`${shop.origin}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { origin: shop.origin, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'clockwork' }),
    }),
  );
  other.close();
  await listening;
  expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual([401, 401]);
});

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
    socket.once('error', () => resolve(false));
  });
}
