import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { askIdentity } from '../support/ask.ts';
import { makeDatabase } from '../support/database.ts';
import { placeOrder } from '../support/payments.ts';
import { refusal } from '../support/refusal.ts';
import { startShop, type TestShop } from '../support/shop.ts';

const program = `
  const database = new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 5000 });
  database.exec(process.argv[2]);
  process.stdout.write('locked');
  function give() {
    database.exec('commit');
    setTimeout(take, 20);
  }
  function take() {
    database.exec('begin immediate');
    setTimeout(give, 60);
  }
  if (process.argv[3]) setTimeout(give, 60);
  process.stdin.once('data', () => process.exit()).resume();
`;

/** Another process takes the file, once or in turns of 60 ms with 20 between them; gives how it lets go. */
async function lock(
  file: string,
  statements = 'begin immediate',
  turns: 'in turns' | '' = '',
): Promise<() => Promise<unknown>> {
  const child = spawn(process.execPath, ['-e', program, file, statements, turns], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return () => {
    child.stdin.write('go');
    return ended;
  };
}

function fileOf({ config: { database } }: TestShop): string {
  return 'file' in database ? database.file : expect.unreachable();
}

test('while another process writes, a write waits its turn, and the process goes on with what needs no database', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const product = await shop.addProduct();
  const unlock = await lock(fileOf(shop));
  let done = false;
  const order = placeOrder(shop, tom, product).finally(() => {
    done = true;
  });
  expect((await shop.send('/healthz')).status).toBe(200);
  expect((await shop.send('/images/none')).status).toBe(404);
  expect(done).toBe(false);
  await unlock();
  expect(await order).toMatchObject({ orderStatus: '' });
});

test('a file that stays locked is 503 for writes, at once for the next, and serves again by itself', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const product = await shop.addProduct();
  const unlock = await lock(fileOf(shop));
  const began = performance.now();
  // Who is behind another has waited with it: five seconds in all, not each.
  const [refused, ...others] = await Promise.all([
    refusal(placeOrder(shop, tom, product)),
    askIdentity(shop, '/sign-in/email', tom),
    askIdentity(shop, '/sign-in/email', tom),
  ]);
  expect(performance.now() - began).toBeLessThan(9000);
  expect(refused).toMatchObject({ status: 503, type: 'urn:problem:unavailable' });
  expect(others.map(({ status }) => status)).toEqual([503, 503]);
  // Who reads does not need the lock.
  expect((await shop.send('/dashboard/myOrder', {}, tom)).status).toBe(200);
  await unlock();
  expect(await placeOrder(shop, tom, product)).toMatchObject({ orderStatus: '' });
});

test('many short locks are none that lasts, and nor are those behind one that did', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const product = await shop.addProduct({ a_quantity: 10_000 });
  const release = await lock(fileOf(shop), 'begin immediate', 'in turns');
  const until = performance.now() + 6000;
  while (performance.now() < until)
    expect(await placeOrder(shop, tom, product)).toMatchObject({ orderStatus: '' });
  await release();

  const unlock = await lock(fileOf(shop));
  expect(await refusal(placeOrder(shop, tom, product))).toMatchObject({ status: 503 });
  await unlock();
  // As long as others take its word for it.
  await setTimeout(1000);
  const again = await lock(fileOf(shop));
  const order = placeOrder(shop, tom, product);
  expect((await shop.send('/healthz')).status).toBe(200);
  await again();
  expect(await order).toMatchObject({ orderStatus: '' });
}, 30_000);

test('a file that cannot be read is 503, and is read again as soon as it can be', async () => {
  await using shop = await startShop({ logsErrors: true });
  const tom = await shop.signUp();
  const product = await shop.addProduct();
  const file = fileOf(shop);
  const read = () => shop.client(tom).call('getProduct', { params: { id: product._id } });
  const { db } = shop.database;
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  const whole = readFileSync(file);
  writeFileSync(file, Buffer.alloc(whole.length, 'x'));
  // What it remembers needs no reading.
  await sql`pragma shrink_memory`.execute(db);
  expect(await refusal(read())).toMatchObject({ status: 503, type: 'urn:problem:unavailable' });
  const page = await shop.send('/products', {}, tom);
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
  writeFileSync(file, whole);
  expect(await read()).toMatchObject({ _id: product._id });
});

test('at its start, a file that is locked or unreadable is told in one sentence', async () => {
  const { place, drop } = await makeDatabase('sqlite');
  if (!('file' in place)) return expect.unreachable();
  try {
    await (await startShop({ place })).close();
    const unlock = await lock(place.file, 'pragma locking_mode = exclusive; begin exclusive');
    await expect(startShop({ place })).rejects.toThrow(/shop\.db.*database is locked/);
    await unlock();
    await (await startShop({ place })).close();
    const whole = readFileSync(place.file);
    writeFileSync(place.file, Buffer.alloc(whole.length, 'x'));
    await expect(startShop({ place })).rejects.toThrow(/shop\.db.*not a database/);
    writeFileSync(place.file, whole);
    await (await startShop({ place })).close();
  } finally {
    await drop();
  }
});
