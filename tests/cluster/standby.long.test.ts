import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../server/database/database.ts';
import { ApiError } from '../../web/client/api/client.ts';
import { findFreePort } from '../support/port.ts';
import { requireStandby, runSql, startPostgres } from '../support/postgres.ts';
import { readProblem } from '../support/requests.ts';
import { runCommand } from '../support/server.ts';
import { startShop } from '../support/shop.ts';
import { waitUntil } from '../support/wait.ts';

const runDoctor = (DATABASE_URL: string) =>
  runCommand(['server/operations/commands/doctor.ts'], { DATABASE_URL }).ended;

test('the shop never uses a standby; of several hosts it uses the one that accepts writes, even after a failover', async () => {
  const primary = await startPostgres({ durable: true });
  onTestFinished(primary.stop);
  const standby = await primary.startStandby(await findFreePort());
  onTestFinished(standby.stop);
  const readOnly = `the server 127.0.0.1:${standby.port} is a standby or read-only`;
  await expect(openDatabase({ url: standby.url })).rejects.toThrow(
    `DATABASE_URL names a database that cannot be used: ${readOnly}.`,
  );
  const { code, out } = await runDoctor(standby.url);
  expect(code).toBe(1);
  expect(out).toContain(`error    DATABASE_URL names a database that cannot be used: ${readOnly}.`);
  expect(out).toContain('select pg_promote()');

  const both = standby.url.replace(/@(.*)\//, `@$1,127.0.0.1:${primary.port}/`);
  await using shop = await startShop({
    settings: { DATABASE_URL: `${both}?target_session_attrs=read-write` },
    allowErrorLogs: true,
  });
  const tom = await shop.signUp();
  await primary.shutDown('SIGKILL');
  await expect.poll(async () => (await shop.send('/readyz')).status).toBe(503);
  // Both servers fail. The doctor shows the standby's error, which has the advice, although it tries the primary last.
  expect((await runDoctor(both)).out).toContain('select pg_promote()');
  const unavailable = await shop.send('/api/orders', {}, tom);
  expect([unavailable.status, unavailable.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await readProblem(unavailable)).type).toBe('urn:problem:unavailable');
  await runSql(standby.url, 'select pg_promote()');
  await expect.poll(async () => (await shop.send('/readyz')).status).toBe(200);
  expect((await shop.signUp()).email).toMatch(/@/);
}, 120_000);

test('an old primary that starts again after a failover is never used', async () => {
  // Autovacuum would use transaction ids, which are compared below.
  const old = await startPostgres({ durable: true, settings: ['autovacuum=off'] });
  onTestFinished(old.stop);
  const promoted = await old.startStandby(await findFreePort());
  onTestFinished(promoted.stop);
  const DATABASE_URL = promoted.url.replace(/@(.*)\//, `@127.0.0.1:${old.port},$1/`);
  const settings = { DATABASE_URL, AUTH_SECRET: 'shared by both processes of this test' };
  await using shop = await startShop({ settings, allowErrorLogs: true });
  const expectStatus = (status: number) =>
    waitUntil(async () => expect((await shop.send('/readyz')).status).toBe(status));
  await shop.signUp();
  await old.shutDown('SIGQUIT');
  await runSql(promoted.url, 'select pg_promote()');
  await expectStatus(200);
  const ada = await shop.admin();
  await old.restart();
  const readNextTransaction = () => runSql(old.url, 'select pg_snapshot_xmax(pg_current_snapshot()) as id');
  const nextTransaction = await readNextTransaction();

  // The running shop does not use the old primary.
  await promoted.shutDown('SIGINT');
  await expectStatus(503);
  const { type } = await readProblem(await shop.send('/api/orders', {}, ada));
  expect(type).toBe('urn:problem:unavailable');
  await promoted.restart();
  await expectStatus(200);
  const admin = shop.client(ada);
  const sentence = `the server 127.0.0.1:${old.port} is an old primary: its timeline is 1, but the promoted standby has timeline 2`;
  await waitUntil(async () => {
    const { facts } = await admin.call('getHealth', {});
    expect(facts.errors.kinds.map(({ what }) => what).join()).toContain(sentence);
  });

  // New processes do not use it, either.
  await using second = await startShop({ settings });
  await second.client(ada).call('getHealth', {});
  await second.signUp();
  expect((await runDoctor(DATABASE_URL)).out).toMatch(
    new RegExp(`error .*127.0.0.1:${old.port} is an old primary that accepts writes`),
  );
  expect(await readNextTransaction()).toEqual(nextTransaction);
}, 120_000);

test('the doctor says what would be lost with the primary', async () => {
  const primary = await startPostgres({ durable: true });
  onTestFinished(primary.stop);
  expect((await runDoctor(primary.url)).out).not.toContain('standby');
  const standby = await primary.startStandby(await findFreePort());
  onTestFinished(standby.stop);
  await expect
    .poll(async () => (await runDoctor(primary.url)).out)
    .toMatch(/warning .*synchronous_standby_names is empty.*the last confirmed orders/);
  await requireStandby(primary.url);
  await expect
    .poll(async () => (await runDoctor(primary.url)).out)
    .toMatch(/ok .*a synchronous standby has every confirmed write/);
  await standby.shutDown('SIGINT');
  await expect
    .poll(async () => (await runDoctor(primary.url)).out)
    .toMatch(/error .*waits for a synchronous standby .*none is connected: writes hang/);
}, 120_000);

test('if the server becomes read-only, the shop closes its connections; once the server accepts writes again, Health shows the error', async () => {
  const postgres = await startPostgres();
  onTestFinished(postgres.stop);
  await using shop = await startShop({ settings: { DATABASE_URL: postgres.url }, allowErrorLogs: true });
  const tom = await shop.signUp();
  const body = { address: '1 Dial Street', phone: '0123', education: 'Horology', linkedIn: 'tom' };
  const save = () =>
    shop
      .client(tom)
      .call('saveUser', { params: { email: tom.email }, body })
      .then(
        () => 200,
        (error: unknown) => (error instanceof ApiError ? error.problem.status : error),
      );
  expect(await save()).toBe(200);
  const setReadOnly = (value: string) =>
    runSql(
      postgres.url,
      'set default_transaction_read_only = off',
      `alter system set default_transaction_read_only = ${value}`,
      'select pg_reload_conf()',
    );
  await setReadOnly('on');
  await expect.poll(save).toBe(503);
  // No connection is left, so reads fail too.
  await expect.poll(async () => (await shop.send('/readyz')).status).toBe(503);
  await setReadOnly('off');
  await expect.poll(save).toBe(200);
  const admin = shop.client(await shop.admin());
  const sentence = `DATABASE_URL names a database that cannot be used: the server 127.0.0.1:${postgres.port} is a standby or read-only.`;
  await expect
    .poll(async () => (await admin.call('getHealth', {})).facts.errors.kinds.map(({ what }) => what))
    .toContain(sentence);
}, 120_000);
