import { expect, inject, onTestFinished, test } from 'vitest';
import { ApiError, type Client } from '../../web/client/api/client.ts';
import { compareSettled, compareWithLedger } from '../load/comparison.ts';
import { connectTo, createLoad, type Load, runLoad, signInAsAdmin, waitForResponses } from '../load/load.ts';
import { readSecretKey } from '../load/provider-actions.ts';
import { allWorkers } from '../load/workers.ts';
import { startMailServer } from '../support/mail-server.ts';
import { findFreePort } from '../support/port.ts';
import { requireStandby, runSql, startPostgres } from '../support/postgres.ts';
import { fetchFromProcess, poolConnections, startFleet } from './fleet.ts';
import { expectMailOnce, mailSettings } from './mail.ts';
import { startTcpProxy } from './tcp-proxy.ts';

type Server = Awaited<ReturnType<typeof startPostgres>>;

/** Two processes reach the primary through a proxy. The third process has the addresses of both servers. */
test('killing the primary under load and promoting its standby loses no confirmed write, and neither does the failover back', async () => {
  const mailServer = await startMailServer();
  const first = await startPostgres({ durable: true });
  onTestFinished(first.stop);
  const secondPort = await findFreePort();
  const proxy = await startTcpProxy(first.port);
  let primary = first;
  let standby = await attachStandby(primary, secondPort);

  /** Errors that the balancer has passed on, with their Retry-After. */
  const errors: string[] = [];
  const proxied = await poolConnections(first.url.replace(`:${first.port}/`, `:${proxy.port}/`));
  const fleet = await startFleet(proxied, {
    thirdDatabaseUrl: first.url.replace(/(:\d+)\//, `$1,127.0.0.1:${secondPort}/`),
    settings: mailSettings(mailServer),
    onResponse({ statusCode = 0, headers }, path) {
      if (statusCode >= 500) errors.push(`${path} ${statusCode} ${headers['retry-after'] ?? ''}`);
    },
  });
  const { origin } = fleet;
  const load = await createLoad({
    seed: inject('seed'),
    connect: connectTo([{ origin }]),
    admins: [await signInAsAdmin(origin)],
    provider: { origin, secretKey: await readSecretKey(primary), fetch },
    hasOutages: true,
  });

  async function failOver(): Promise<void> {
    await primary.shutDown('SIGKILL');
    const lost = primary;
    primary = standby;
    const waitForErrors = async () => {
      const before = errors.length;
      await expect.poll(() => errors.length, { timeout: 60_000 }).toBeGreaterThan(before + 3);
    };
    await waitForErrors();
    // A proxy that switches early forwards to a server that is still a standby.
    const isEarly = load.random.chance(0.5);
    if (isEarly) {
      proxy.switchTo(primary.port);
      await waitForErrors();
    }
    await runSql(primary.url, 'select pg_promote()');
    const promotedAt = performance.now();
    if (!isEarly) proxy.switchTo(primary.port);
    await Promise.all(
      fleet.ports.map((port, index) =>
        expect
          .poll(() => isServing(port, fleet.processClient(index).client()), {
            timeout: 10_000 - (performance.now() - promotedAt),
          })
          .toBe(true),
      ),
    );
    await waitForResponses(load);
    standby = await attachStandby(primary, lost.port);
    await waitForResponses(load);
  }

  let ended = false;
  const reading = [1, 2].map(async () => {
    while (!ended) await readConfirmedOrder(load);
  });
  await runLoad(load, allWorkers, async () => {
    await waitForResponses(load);
    await failOver();
    await failOver();
  });
  ended = true;
  await Promise.all(reading);

  expect(errors.filter((error) => !error.endsWith(' 503 5'))).toEqual([]);
  expect(load.ledger.unanswered).toBe(0);
  expect(await compareWithLedger(primary, load)).toEqual([]);
  // The periodic work finishes what the outages had interrupted.
  const start = async () => fleet.startProcess(await findFreePort());
  expect(await compareSettled(primary, load, start)).toEqual([]);
  await expectMailOnce(primary, mailServer);
}, 180_000);

async function attachStandby(primary: Server, port: number): Promise<Server> {
  const standby = await primary.startStandby(port);
  onTestFinished(standby.stop);
  await requireStandby(primary.url);
  const isSynchronous = `select from pg_stat_replication where sync_state = 'sync'`;
  await expect.poll(() => runSql(primary.url, isSynchronous)).toHaveLength(1);
  return standby;
}

async function isServing(port: number, client: Client): Promise<boolean> {
  if ((await fetchFromProcess(port, '/readyz')).status !== 200) return false;
  return client.call('listReviews', { query: { limit: 1 } }).then(
    () => true,
    () => false,
  );
}

/** Reads an order that exists. Any response but the order or a 503 is wrong. */
async function readConfirmedOrder({ random, ledger }: Load): Promise<void> {
  const [id, order] = random.pick([...ledger.orders].slice(-50)) ?? [];
  if (!id || !order || order.allowed.has('deleted')) return new Promise((resolve) => setImmediate(resolve));
  try {
    await order.customer.client.call('getOrder', { params: { id } });
  } catch (error) {
    const status = error instanceof ApiError ? error.problem.status : `${error}`;
    if (status !== 503 && !order.allowed.has('deleted'))
      ledger.violations.push(`reading order ${id}: ${status}`);
  }
}
