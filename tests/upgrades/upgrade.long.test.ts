import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { runProgram } from '../support/server.ts';
import { createShopClient } from '../support/shop-client.ts';
import { makeReleases } from './releases.ts';

test('on SQLite an upgrade keeps everything, the earlier release rejects the file, and the new release restores a backup of the earlier one', async () => {
  const { from, to } = makeReleases();
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const PORT = `${await findFreePort()}`;
  const run = (DATA_DIR: string, script: string, ...args: string[]) =>
    runProgram(process.execPath, [script, ...args], { DATA_DIR: join(folder, DATA_DIR), PORT });
  const start = async (DATA_DIR: string, script: string) => {
    const server = run(DATA_DIR, script);
    await server.firstLine();
    return server;
  };
  const { client, signUp, signIn } = createShopClient(`http://localhost:${PORT}`, fetch);

  const old = await start('data', from.server);
  const tom = await signUp();
  const [product = expect.unreachable()] = (await client().list('listProducts', {})).rows;
  const placeOrder = async () => {
    const { _id: orderId, price, o_quantity: orderQuantity } = product;
    const total = Math.round(price * 100 * orderQuantity) / 100;
    const body = { orderId, orderQuantity, price: total, user: tom.email };
    return (await client(tom).call('placeOrder', { body })).insertedId;
  };
  const listOrders = async () => {
    const person = await signIn(tom.email, tom.password);
    const orders = await client(person).call('listOwnOrders', { query: { user: tom.email } });
    return orders.map(({ _id }) => _id).sort();
  };
  const orders = [await placeOrder(), await placeOrder()].sort();
  const backup = join(folder, 'backup');
  expect(await run('data', from.findCommand('backup'), backup).ended).toMatchObject({ code: 0 });
  await old.kill('SIGTERM');

  const upgraded = await start('data', to.server);
  expect(await listOrders()).toEqual(orders);
  await placeOrder();
  await upgraded.kill('SIGTERM');

  const { code, out, err } = await run('data', from.server).ended;
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^The database has a migration [^\n]*restore a backup[^\n]*\.\n$/);

  expect(await run('restored', to.findCommand('restore'), backup).ended).toMatchObject({ code: 0 });
  await start('restored', to.server);
  expect(await listOrders()).toEqual(orders);
}, 120_000);
