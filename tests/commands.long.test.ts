import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { getPostgresUrl, makeFolder, makeTestPostgres } from './support/database.ts';
import { findFreePort } from './support/port.ts';
import { builtServerPath, runCommand, runProgram, startServer } from './support/server.ts';
import { createShopClient } from './support/shop-client.ts';

let DATA_DIR: string;
let PORT: string;

beforeEach(async () => {
  DATA_DIR = makeFolder();
  PORT = `${await findFreePort()}`;
});
afterEach(() => rmSync(DATA_DIR, { recursive: true, force: true }));

/** Starts the shop, which must fail with exit code 1 and one sentence; returns the sentence. */
async function expectStartFailure(settings: Record<string, string>): Promise<string> {
  const { err, ...ended } = await runCommand([builtServerPath], { DATA_DIR, PORT, ...settings }).ended;
  expect({ ...ended, err }).toEqual({
    code: 1,
    signal: null,
    out: '',
    err: expect.stringMatching(/^[^\n]+\.\n$/),
  });
  return err;
}

describe('npm start fails with one sentence that names the setting', () => {
  test.each([
    ['PORT', 'http'],
    ['PUBLIC_URL', 'shop.example'],
    ['DATABASE_URL', 'mysql://127.0.0.1/shop'],
    ['SHOP_CURRENCY', 'XXX'],
    ['STOCK_HOLD_HOURS', 'soon'],
    ['STRIPE_SECRET_KEY', 'pk_test_1'],
    ['SANDBOX', 'maybe'],
    ['STOP_DELAY_SECONDS', '5s'],
    ['TRUSTED_PROXIES', 'the proxy'],
  ])('%s=%s', async (name, value) => {
    expect(await expectStartFailure({ [name]: value })).toContain(name);
  });

  test('a PORT that another program uses', async () => {
    const other = createServer().listen(Number(PORT), '127.0.0.1');
    await once(other, 'listening');
    expect(await expectStartFailure({})).toContain(`PORT is ${PORT}`);
    // The failed start has created nothing.
    expect(readdirSync(DATA_DIR)).toEqual([]);
    other.close();
  });

  test('a HOST that is not this machine, before anything is created', async () => {
    expect(await expectStartFailure({ HOST: '192.0.2.1' })).toContain('HOST is "192.0.2.1"');
    expect(readdirSync(DATA_DIR)).toEqual([]);
  });

  test('a DATA_DIR that is a file', async () => {
    const file = join(DATA_DIR, 'file');
    writeFileSync(file, '');
    const sentence = `DATA_DIR is ${JSON.stringify(file)}, which is a file, but must be a folder.\n`;
    expect(await expectStartFailure({ DATA_DIR: file })).toBe(sentence);
    const doctor = runCommand(['server/operations/commands/doctor.ts'], { DATA_DIR: file, PORT });
    expect(await doctor.ended).toMatchObject({ code: 1, out: '', err: sentence });
  });

  test('a DATA_DIR inside a file', async () => {
    const file = join(DATA_DIR, 'file');
    writeFileSync(file, '');
    const sentence = await expectStartFailure({ DATA_DIR: join(file, 'data') });
    expect(sentence).toMatch(/^DATA_DIR is .* is inside a file, not a folder/);
  });

  test.runIf(process.platform === 'linux')(
    'a DATA_DIR that the system does not let anyone create',
    async () => {
      expect(await expectStartFailure({ DATA_DIR: '/proc/shop/data' })).toContain('DATA_DIR');
    },
  );

  test('a truncated auth-secret', async () => {
    writeFileSync(join(DATA_DIR, 'auth-secret'), '');
    expect(await expectStartFailure({})).toContain('AUTH_SECRET');
  });

  test('an unreachable database', async () => {
    const message = await expectStartFailure({
      DATABASE_URL: `postgres://shop:hush@127.0.0.1:${await findFreePort()}/shop`,
    });
    expect(message).toContain('DATABASE_URL');
    expect(message).not.toContain('hush');
  });

  test('a database that rejects the password', async () => {
    const url = new URL(await getPostgresUrl());
    url.password = 'hush';
    const message = await expectStartFailure({ DATABASE_URL: url.href });
    expect(message).toContain('DATABASE_URL');
    expect(message).not.toContain('hush');
  });

  test('NODE_ENV=production without keys', async () => {
    expect(await expectStartFailure({ NODE_ENV: 'production' })).toContain('SANDBOX=yes');
  });

  test('a second server on the same DATA_DIR', async () => {
    await startServer({ DATA_DIR, PORT });
    expect(await expectStartFailure({ PORT: `${await findFreePort()}` })).toContain('DATA_DIR');
  });
});

test('npm start prints the address of the shop and that no real card is charged', async () => {
  const server = await startServer({ DATA_DIR, PORT });
  expect(await server.firstLine()).toMatch(`http://localhost:${PORT}`);
  expect(await server.firstLine()).toMatch('no real card is charged');
  expect(await fetch(`${server.origin}/healthz`)).toMatchObject({ status: 200 });
});

test.each(['sqlite', 'postgres'])(
  'a changed currency on %s must be confirmed once, and converts nothing',
  async (engine) => {
    const settings = {
      DATA_DIR,
      PORT,
      ...(engine === 'postgres' ? { DATABASE_URL: (await makeTestPostgres()).url } : {}),
    };
    const confirm = (currency: string, SHOP_CURRENCY: string) =>
      runCommand(['server/operations/commands/confirm-currency.ts', currency], { ...settings, SHOP_CURRENCY })
        .ended;
    const list = (origin: string) => createShopClient(origin, fetch).client().call('listProducts', {});
    const first = await startServer(settings);
    const products = await list(first.origin);
    await first.kill('SIGTERM');

    const sentence = await expectStartFailure({ ...settings, SHOP_CURRENCY: 'EUR' });
    expect(sentence).toMatch(/^SHOP_CURRENCY is EUR, but .* in USD: .*npm run confirm-currency -- EUR\.$/m);
    expect(await confirm('GBP', 'EUR')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^SHOP_CURRENCY is EUR/),
    });
    expect(await confirm('XXX', 'EUR')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Name one currency/),
    });
    expect(await confirm('eur', 'EUR')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Prices are in EUR from now on, no longer in USD\./),
    });
    const second = await startServer({ ...settings, SHOP_CURRENCY: 'EUR' });
    expect(await list(second.origin)).toEqual(products.map((each) => ({ ...each, currency: 'EUR' })));
    await second.kill('SIGTERM');
    expect(await expectStartFailure(settings)).toContain('in EUR');
  },
);

test('npm start and the doctor name misspelled settings', async () => {
  const settings = { DATA_DIR, PORT, CURRENCY: 'EUR', STRIPE_SECRET: 'sk_live_hush' };
  const server = await startServer(settings);
  const doctor = await runCommand(['server/operations/commands/doctor.ts'], settings).ended;
  for (const output of [server.output.err, doctor.out]) {
    expect(output).toContain(
      'CURRENCY is set, but is not a setting of the shop: did you mean SHOP_CURRENCY?',
    );
    expect(output).toContain('did you mean STRIPE_SECRET_KEY?');
    expect(output).not.toContain('hush');
  }
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s stops the shop after it has answered the request in progress',
  async (signal) => {
    const server = await startServer({ DATA_DIR, PORT });
    const signIn = request(`${server.origin}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { origin: server.origin, 'content-type': 'application/json', expect: '100-continue' },
    });
    const responded: Promise<IncomingMessage[]> = once(signIn, 'response');
    signIn.flushHeaders();
    // The shop has started to handle the request.
    await once(signIn, 'continue');
    const ended = server.kill(signal);
    signIn.end(JSON.stringify({ email: 'customer@example.com', password: 'clockwork' }));
    const [response] = await responded;
    expect(response?.statusCode).toBe(200);
    response?.resume();
    // The log has one line, about the sign-in.
    const err = expect.stringMatching(/^\{"level":30,[^\n]+\n$/);
    expect(await ended).toMatchObject({ code: 0, signal: null, err });
  },
);

test.each([
  ['SIGTERM', 'SIGTERM'],
  ['SIGTERM', 'SIGINT'],
  ['SIGINT', 'SIGINT'],
] as const)('after %s and then %s, the request in progress is still answered', async (first, second) => {
  const server = await startServer({ DATA_DIR, PORT });
  const signIn = request(`${server.origin}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { origin: server.origin, 'content-type': 'application/json', expect: '100-continue' },
  });
  const responded: Promise<IncomingMessage[]> = once(signIn, 'response');
  signIn.flushHeaders();
  await once(signIn, 'continue');
  void server.kill(first);
  const isClosed = () =>
    fetch(`${server.origin}/healthz`).then(
      () => false,
      () => true,
    );
  await expect.poll(isClosed).toBe(true);
  const ended = server.kill(second);
  signIn.end(JSON.stringify({ email: 'customer@example.com', password: 'clockwork' }));
  const [response] = await responded;
  expect(response?.statusCode).toBe(200);
  response?.resume();
  expect(await ended).toMatchObject({ code: 0, signal: null });
});

test.skipIf(process.platform === 'win32')(
  'the shop stops when npm ends, even if the shell between them does not forward the signal',
  async () => {
    const command = `"${process.execPath}" scripts/run.mjs --lean ${builtServerPath}; true`;
    const settings = { DATA_DIR, PORT, npm_lifecycle_event: 'start' };
    const shell = runProgram('/bin/sh', ['-c', command], settings);
    await shell.firstLine();
    // The promise settles only once every process that shares the output has exited.
    expect(await shell.kill('SIGTERM')).toMatchObject({ signal: 'SIGTERM', err: '' });
    await startServer({ DATA_DIR, PORT });
  },
);

test('a shop that restarts on the same data keeps everything and adds nothing', async () => {
  const first = await startServer({ DATA_DIR, PORT });
  const before = createShopClient(first.origin, fetch);
  const tom = await before.signUp();
  const products = await before.client().call('listProducts', {});
  const reviews = await before.client().call('listReviews', {});
  await first.kill('SIGTERM');

  await startServer({ DATA_DIR, PORT });
  const after = createShopClient(first.origin, fetch);
  expect(await after.client().call('listProducts', {})).toEqual(products);
  expect(await after.client().call('listReviews', {})).toEqual(reviews);
  expect(products.length).toBeGreaterThan(3);
  // The session is still valid.
  expect(await after.client(tom).call('isAdmin', { params: { email: tom.email } })).toEqual({ admin: false });
});

test('a shop that is killed under load keeps every order that it confirmed, and the stock matches', async () => {
  const first = await startServer({ DATA_DIR, PORT });
  const shopClient = createShopClient(first.origin, fetch);
  const admin = await shopClient.signIn('admin@example.com', 'clockwork');
  const [example] = await shopClient.client().call('listProducts', {});
  if (!example) throw new Error('The demo shop has no products.');
  const { name, description, img } = example;
  const stock = 100_000;
  const { insertedId: product } = await shopClient.client(admin).call('addProduct', {
    body: { name, description, img, email: admin.email, price: 2, o_quantity: 1, a_quantity: stock },
  });

  const confirmed: string[] = [];
  const order = { orderId: product, orderQuantity: 1, price: 2, user: admin.email };
  const orderUntilKilled = async () => {
    for (;;) {
      const { insertedId } = await shopClient.client(admin).call('placeOrder', { body: order });
      confirmed.push(insertedId);
      if (confirmed.length === 100) void first.kill('SIGKILL');
    }
  };
  await Promise.allSettled(Array.from({ length: 8 }, orderUntilKilled));
  expect((await first.ended).signal).toBe('SIGKILL');

  await startServer({ DATA_DIR, PORT });
  const orders = await Promise.all(
    confirmed.map((id) => shopClient.client(admin).call('getOrder', { params: { id } })),
  );
  expect(orders.length).toBeGreaterThanOrEqual(100);
  const all = await shopClient.client(admin).call('listAllOrders', {});
  const left = await shopClient.client().call('getProduct', { params: { id: product } });
  expect(left.a_quantity).toBe(stock - all.length);
});

test('a sandbox that others can reach prints new demo passwords once; a second process on its database prints none', async () => {
  const { url } = await makeTestPostgres();
  const settings = { DATA_DIR, DATABASE_URL: url, PUBLIC_URL: 'https://shop.example' };
  const first = await startServer({ ...settings, PORT });
  expect(await first.firstLine()).toMatch(
    /shown only once: admin@example\.com \S+, customer@example\.com \S+\.$/,
  );
  const second = await startServer({ ...settings, PORT: `${await findFreePort()}` });
  expect(await second.firstLine()).toMatch(/no real card is charged\. ?$/);
  for (const process of [first, second])
    expect(await process.kill('SIGTERM')).toMatchObject({ code: 0, err: '' });
});

describe.skipIf(process.platform === 'win32')('the doctor', () => {
  test('as documented for systemd writes nothing into DATA_DIR, which is the home of the user who runs it', async () => {
    const server = await startServer({ DATA_DIR, PORT });
    await server.kill('SIGTERM');
    const before = readdirSync(DATA_DIR, { recursive: true });
    const guide = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
    const [, command = ''] = /systemd-run [^`]* --setenv=DATA_DIR=\S+ \\\n([^`]+)\n```/.exec(guide) ?? [];
    const inCheckout = command.trim().replace('/srv/shop/', '');
    const doctor = await runProgram('/bin/sh', ['-c', inCheckout], { DATA_DIR, PORT, HOME: DATA_DIR }).ended;
    expect(doctor.out).toContain('Settings: valid, for a sandbox');
    expect(readdirSync(DATA_DIR, { recursive: true })).toEqual(before);
  });

  test('exits quietly if the reader of its output has exited', async () => {
    const doctor = `"${process.execPath}" scripts/run.mjs server/operations/commands/doctor.ts | true`;
    expect(await runProgram('/bin/sh', ['-c', doctor], { DATA_DIR, PORT }).ended).toMatchObject({
      code: 0,
      err: '',
    });
  });
});
