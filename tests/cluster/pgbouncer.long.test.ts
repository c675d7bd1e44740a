import { expect, inject, onTestFinished, test } from 'vitest';
import { compareWithLedger } from '../load/comparison.ts';
import { connectTo, createLoad, runLoad, signInAsAdmin, waitForResponses } from '../load/load.ts';
import { readSecretKey } from '../load/provider-actions.ts';
import { allWorkers } from '../load/workers.ts';
import { getPostgresUrl, makeTestPostgres } from '../support/database.ts';
import { pgBouncerPath, startPgBouncer } from '../support/pgbouncer.ts';
import { runCommand } from '../support/server.ts';
import { startFleet } from './fleet.ts';

const runDoctor = async (DATABASE_URL: string) =>
  (await runCommand(['server/operations/commands/doctor.ts'], { DATABASE_URL }).ended).out;

async function openPgBouncer(databaseUrl: string, ...settings: string[]): Promise<string> {
  const { url, stop } = await startPgBouncer(databaseUrl, settings);
  onTestFinished(stop);
  return url;
}

test.skipIf(!pgBouncerPath)(
  'three processes work through PgBouncer in transaction mode',
  { timeout: 90_000 },
  async () => {
    // Fewer connections than the three processes open, so that the processes have to share them.
    const url = await openPgBouncer((await makeTestPostgres('demo')).url, 'default_pool_size = 5');
    const { origin } = await startFleet(url);
    const load = await createLoad({
      seed: inject('seed'),
      connect: connectTo([{ origin }]),
      admins: [await signInAsAdmin(origin)],
      provider: { origin, secretKey: await readSecretKey({ url }), fetch },
    });
    await runLoad(load, allWorkers, () => waitForResponses(load, 300));
    expect(load.ledger.unanswered).toBe(0);
    expect(load.ledger.succeeded).toContain('markOrderPaid');
    expect(await compareWithLedger({ url }, load)).toEqual([]);
    expect(await runDoctor(url)).toMatch(/ok .*Database: up to date/);
  },
);

test.skipIf(!pgBouncerPath)('the doctor reports PgBouncer in statement mode', async () => {
  const url = await openPgBouncer(await getPostgresUrl(), 'pool_mode = statement');
  expect(await runDoctor(url)).toMatch(
    /error .*cannot be used: transaction blocks not allowed in statement pooling mode\.\n.*Set pool_mode = transaction/,
  );
});

test.skipIf(!pgBouncerPath)(
  'the doctor reports that PgBouncer rejects or ignores the schema in DATABASE_URL',
  async () => {
    const direct = await getPostgresUrl();
    const option = `?options=${encodeURIComponent('-c search_path="MyShop",public')}`;
    expect(await runDoctor(direct + option)).not.toMatch(/search_path/);
    expect(await runDoctor((await openPgBouncer(direct)) + option)).toMatch(
      /error .*unsupported startup parameter: options\.\n.*set the schema on the role/,
    );
    const ignoring = await openPgBouncer(direct, 'ignore_startup_parameters = options');
    expect(await runDoctor(ignoring + option)).toMatch(
      /error .*sets search_path to "MyShop",public, but a connection has "\$user", public\.\n.*set the schema on the role/,
    );
  },
);
