import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { makeDatabase } from '../support/database.ts';
import { placeOrder } from '../support/payments.ts';
import { catchProblem } from '../support/problem.ts';
import { sendAuthRequest } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

const lockProgram = `
  const database = new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 5000 });
  database.exec(process.argv[2]);
  process.stdout.write('locked');
  function unlock() {
    database.exec('commit');
    setTimeout(lock, 20);
  }
  function lock() {
    database.exec('begin immediate');
    setTimeout(unlock, 60);
  }
  if (process.argv[3]) setTimeout(unlock, 60);
  process.stdin.once('data', () => process.exit()).resume();
`;

/**
 * Locks the file from another process, once or repeatedly for 60 ms with pauses of 20 ms. Returns a function that
 * unlocks it.
 */
async function lock(
  file: string,
  statements = 'begin immediate',
  mode: 'repeatedly' | '' = '',
): Promise<() => Promise<unknown>> {
  const child = spawn(process.execPath, ['-e', lockProgram, file, statements, mode], {
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

function getDatabaseFile({ config: { database } }: TestShop): string {
  return 'file' in database ? database.file : expect.unreachable();
}

test('while another process holds the lock, a write waits, and requests that need no database succeed', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const product = await shop.addProduct();
  const unlock = await lock(getDatabaseFile(shop));
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

test('writes to a file that stays locked return 503, queued writes at once; writes succeed again after the lock', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const product = await shop.addProduct();
  const unlock = await lock(getDatabaseFile(shop));
  const began = performance.now();
  // The queued writes fail with the first: five seconds in total, not each.
  const [refused, ...others] = await Promise.all([
    catchProblem(placeOrder(shop, tom, product)),
    sendAuthRequest(shop, '/sign-in/email', tom),
    sendAuthRequest(shop, '/sign-in/email', tom),
  ]);
  expect(performance.now() - began).toBeLessThan(9000);
  expect(refused).toMatchObject({ status: 503, type: 'urn:problem:unavailable' });
  expect(others.map(({ status }) => status)).toEqual([503, 503]);
  // Reads need no lock.
  expect((await shop.send('/dashboard/myOrder', {}, tom)).status).toBe(200);
  await unlock();
  expect(await placeOrder(shop, tom, product)).toMatchObject({ orderStatus: '' });
});

test('many short locks cause no 503, nor does a short lock after a long one', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const product = await shop.addProduct({ a_quantity: 10_000 });
  const release = await lock(getDatabaseFile(shop), 'begin immediate', 'repeatedly');
  const until = performance.now() + 6000;
  while (performance.now() < until)
    expect(await placeOrder(shop, tom, product)).toMatchObject({ orderStatus: '' });
  await release();

  const unlock = await lock(getDatabaseFile(shop));
  expect(await catchProblem(placeOrder(shop, tom, product))).toMatchObject({ status: 503 });
  await unlock();
  // For a second after a timeout, other writes fail immediately.
  await setTimeout(1000);
  const unlockAgain = await lock(getDatabaseFile(shop));
  const order = placeOrder(shop, tom, product);
  expect((await shop.send('/healthz')).status).toBe(200);
  await unlockAgain();
  expect(await order).toMatchObject({ orderStatus: '' });
}, 30_000);

test('an unreadable file causes 503, and reads succeed again once it is restored', async () => {
  await using shop = await startShop({ allowErrorLogs: true });
  const tom = await shop.signUp();
  const product = await shop.addProduct();
  const file = getDatabaseFile(shop);
  const read = () => shop.client(tom).call('getProduct', { params: { id: product._id } });
  const { db } = shop.database;
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  const original = readFileSync(file);
  writeFileSync(file, Buffer.alloc(original.length, 'x'));
  // Empty SQLite's page cache.
  await sql`pragma shrink_memory`.execute(db);
  expect(await catchProblem(read())).toMatchObject({ status: 503, type: 'urn:problem:unavailable' });
  const page = await shop.send('/products', {}, tom);
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
  writeFileSync(file, original);
  expect(await read()).toMatchObject({ _id: product._id });
});

test('starting on a locked or unreadable file fails with a one-sentence error', async () => {
  const { place, drop } = await makeDatabase('sqlite');
  if (!('file' in place)) return expect.unreachable();
  try {
    await (await startShop({ place })).close();
    const unlock = await lock(place.file, 'pragma locking_mode = exclusive; begin exclusive');
    await expect(startShop({ place })).rejects.toThrow(/shop\.db.*database is locked/);
    await unlock();
    await (await startShop({ place })).close();
    const original = readFileSync(place.file);
    writeFileSync(place.file, Buffer.alloc(original.length, 'x'));
    await expect(startShop({ place })).rejects.toThrow(/shop\.db.*not a database/);
    writeFileSync(place.file, original);
    await (await startShop({ place })).close();
  } finally {
    await drop();
  }
});
