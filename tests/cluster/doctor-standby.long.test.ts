import { expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../support/port.ts';
import { requireStandby, runSql, startPostgres } from '../support/postgres.ts';
import { runCommand } from '../support/server.ts';

const runDoctor = async (DATABASE_URL: string) =>
  (await runCommand(['server/operations/commands/doctor.ts'], { DATABASE_URL }).ended).out;

test('the doctor warns if there is no standby, and if its role cannot see whether the standby is synchronous', async () => {
  const primary = await startPostgres({ durable: true });
  onTestFinished(primary.stop);
  await runSql(primary.url, "create role shop login password 'secret'", 'create database shop owner shop');
  const port = await findFreePort();
  const url = `postgres://shop:secret@127.0.0.1:${primary.port},127.0.0.1:${port}/shop`;
  const missing = /warning .*names several servers, but no standby is connected/;
  expect(await runDoctor(url)).toMatch(missing);
  expect(await runDoctor(url.replace(`,127.0.0.1:${port}`, ''))).not.toMatch(missing);

  const standby = await primary.startStandby(port);
  onTestFinished(standby.stop);
  await requireStandby(primary.url);
  await expect
    .poll(() => runDoctor(url), { timeout: 30_000 })
    .toMatch(/warning .*shop cannot see whether .* is synchronous\.\n.*grant pg_read_all_stats to shop\./);
  await runSql(primary.url, 'grant pg_read_all_stats to shop');
  await expect
    .poll(() => runDoctor(url), { timeout: 30_000 })
    .toMatch(/ok .*a synchronous standby has every confirmed write/);
}, 90_000);
