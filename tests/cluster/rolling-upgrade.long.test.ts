import { expect, inject, onTestFinished, test } from 'vitest';
import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import { connect } from '../../server/database/database.ts';
import { listApplied } from '../../server/database/migrate.ts';
import type { Schema } from '../../server/database/schema.ts';
import { compareSettled, compareWithLedger } from '../load/comparison.ts';
import { connectTo, createLoad, runLoad, waitForResponses } from '../load/load.ts';
import { allWorkers } from '../load/workers.ts';
import { makeTestPostgres } from '../support/database.ts';
import { liveSettings } from '../support/live-settings.ts';
import { startMailServer } from '../support/mail-server.ts';
import { findFreePort } from '../support/port.ts';
import { makeReleases } from '../upgrades/releases.ts';
import { startFleet } from './fleet.ts';
import { expectMailOnce, mailSettings } from './mail.ts';
import { startStripeServer } from './stripe-server.ts';

const webhookPath = apiBase + contract.receiveStripeEvent.path;

/**
 * Customers and an admin use the shop during the upgrade. One stand-in for Stripe serves both releases, because each
 * release's own stand-in would reject the other release's idempotency keys.
 */
test('a rolling upgrade, including its migrations, fails no request and loses nothing', async () => {
  const place = await makeTestPostgres();
  const { from, to } = makeReleases();
  const provider = await startStripeServer(place.url);
  const mailServer = await startMailServer();
  const failed: string[] = [];
  const fleet = await startFleet(place.url, {
    script: from.server,
    settings: {
      ...liveSettings(provider),
      ...mailSettings(mailServer),
      UNPAID_ORDERS_PER_PERSON: '1000',
      // Longer than three health checks of up to two seconds each: one in progress, and two that fail.
      STOP_DELAY_SECONDS: '7',
    },
    onResponse({ statusCode = 0, headers }, path) {
      if (statusCode >= 500 || (statusCode >= 400 && path === webhookPath))
        failed.push(`${path}: ${statusCode} ${headers['retry-after'] ?? ''}`);
    },
  });
  const { origin } = fleet;
  const started = [...fleet.processes];
  provider.setShop(origin);
  const owner = await fleet.signUp();
  const runCommand = async (name: string, ...args: string[]) =>
    expect(await fleet.runCommand(from.findCommand(name), ...args)).toMatchObject({ code: 0 });
  await runCommand('make-admin', owner.email, '--keep');
  await runCommand('seed');
  const load = await createLoad({
    seed: inject('seed'),
    connect: connectTo([{ origin }]),
    admins: [fleet.client(owner)],
    provider: { origin: provider.origin, secretKey: provider.stripe.secretKey, fetch },
  });
  const { db } = connect<Schema>(place);
  onTestFinished(() => db.destroy());

  await runLoad(load, allWorkers, async () => {
    await waitForResponses(load);
    for (const [index, old] of fleet.processes.entries()) {
      const port = fleet.ports[index] ?? expect.unreachable();
      expect((await listApplied(db)).includes(to.lastMigration)).toBe(index > 0);
      const stopped = old.kill('SIGTERM');
      await expect.poll(() => fleet.balancer.ready()).not.toContain(port);
      // A second signal changes nothing.
      void old.kill('SIGTERM');
      const { code, err } = await stopped;
      expect([code, err.match(/"level":[56]0.*/)]).toEqual([0, null]);
      started.push(await fleet.startProcess(port, to.server));
      await expect.poll(() => fleet.balancer.ready()).toEqual(fleet.ports);
      await waitForResponses(load);
    }
  });
  const warnings = started.flatMap(({ output }) => output.err.match(/.*"level":40.*/g) ?? []);
  expect([load.ledger.unanswered, provider.undelivered, failed], warnings.join('\n')).toEqual([0, [], []]);
  expect(await compareWithLedger(place, load)).toEqual([]);
  // The periodic work settles what is open.
  const start = async () => fleet.startProcess(await findFreePort(), to.server);
  expect(await compareSettled(place, load, start)).toEqual([]);
  await expectMailOnce(place, mailServer);
}, 300_000);
