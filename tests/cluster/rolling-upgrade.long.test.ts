import { expect, onTestFinished, test } from 'vitest';
import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import { connect } from '../../server/database/database.ts';
import { listApplied } from '../../server/database/migrate.ts';
import type { Schema } from '../../server/database/schema.ts';
import { auditMoney, readBooks } from '../support/auditor.ts';
import { makeTestPostgres } from '../support/database.ts';
import { liveSettings } from '../support/live-settings.ts';
import { startMailServer } from '../support/mail-server.ts';
import { findFreePort } from '../support/port.ts';
import { compareWithLedger } from '../torture/differences.ts';
import { createClientAt } from '../torture/requests.ts';
import { letTimePass } from '../torture/time.ts';
import { runLoad } from '../torture/torture.ts';
import { makeReleases } from '../upgrades/releases.ts';
import { startFleet } from './fleet.ts';
import { createLoad, waitForResponses } from './load.ts';
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
      // Longer than two failed checks, of up to three seconds each.
      STOP_DELAY_SECONDS: '10',
    },
    // As docs/operations.md configures HAProxy.
    healthCheck: { intervalMs: 1000, failures: 2 },
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
  const admin = createClientAt(origin, '10.0.0.1', owner.token);
  const { context, ledger } = await createLoad(admin, {
    origin,
    secretKey: provider.stripe.secretKey,
    providerOrigin: provider.origin,
  });
  const { db } = connect<Schema>(place);
  onTestFinished(() => db.destroy());

  let ended = false;
  const reader = await fleet.signUp();
  const paths = ['/', '/dashboard', '/dashboard/myOrder', '/api/products', '/api/reviews'];
  async function readPages(): Promise<void> {
    for (let at = 0; !ended; at++) {
      const path = paths[at % paths.length] ?? '';
      const response = await fleet.send(path, {}, reader).catch((error: Error) => error);
      if (response instanceof Error) failed.push(`${path}: ${response.cause ?? response}`);
      else if (response.status !== 200 || (await response.text()) === '')
        failed.push(`${path}: ${response.status}`);
    }
  }

  const reading = [readPages(), readPages()];
  await runLoad(context, admin, async () => {
    await waitForResponses(context);
    for (const [at, old] of fleet.processes.entries()) {
      const port = fleet.ports[at] ?? expect.unreachable();
      expect((await listApplied(db)).includes(to.lastMigration)).toBe(at > 0);
      const stopped = old.kill('SIGTERM');
      await expect.poll(() => fleet.balancer.ready()).not.toContain(port);
      // A second signal changes nothing.
      void old.kill('SIGTERM');
      const { code, err } = await stopped;
      expect([code, err.match(/"level":[56]0.*/)]).toEqual([0, null]);
      started.push(await fleet.startProcess(port, to.server));
      await expect.poll(() => fleet.balancer.ready()).toEqual(fleet.ports);
      await waitForResponses(context);
    }
  });
  ended = true;
  await Promise.all(reading);
  const warnings = started.flatMap(({ output }) => output.err.match(/.*"level":40.*/g) ?? []);
  expect([ledger.unanswered, provider.undelivered, failed], warnings.join('\n')).toEqual([0, [], []]);
  const compare = () => compareWithLedger(place, ledger, origin, admin);
  expect(await compare()).toEqual([]);

  // The periodic work settles what is open.
  await letTimePass(place, ledger);
  await fleet.startProcess(await findFreePort(), to.server);
  await expect.poll(async () => auditMoney(await readBooks(place)), { timeout: 30_000 }).toEqual([]);
  expect(await compare()).toEqual([]);
  await expectMailOnce(place, mailServer);
}, 300_000);
