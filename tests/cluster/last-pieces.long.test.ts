import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { DatabaseLocation } from '../../server/config/config.ts';
import type { Engine } from '../../server/database/schema.ts';
import { addProduct } from '../load/admin-actions.ts';
import { compareWithLedger } from '../load/comparison.ts';
import { placeBasket, repeatWrite } from '../load/customer-actions.ts';
import { type Action, connectTo, createLoad, runLoad, signInAsAdmin, signUpCustomer } from '../load/load.ts';
import { readSecretKey } from '../load/provider-actions.ts';
import { weigh } from '../load/workers.ts';
import { auditBooks, readBooks, withDatabases } from '../support/auditor.ts';
import { makeFolder, makeTestDatabase } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { builtServerPath, runProgram } from '../support/server.ts';

const productCount = 8;
const stock = 60;
/** Confirmed orders before the kill. The stock is enough for about twice as many. */
const ordersBeforeKill = 60;

test.each<[victim: string, engine: Engine, processCount: number]>([
  ['one of two processes on postgres', 'postgres', 2],
  ['the only process on sqlite', 'sqlite', 1],
])(
  'after killing %s while 40 customers order the last pieces, every confirmed purchase is stored once and complete',
  { timeout: 120_000 },
  async (_, engine, processCount) => {
    const place = await makeTestDatabase(engine, 'demo');
    const processes: Started[] = [];
    while (processes.length < processCount) processes.push(await startProcess(place, await findFreePort()));
    const [victim = expect.unreachable(), survivor] = processes;
    const targets = [...processes];
    const { origin } = survivor ?? victim;
    const load = await createLoad({
      seed: inject('seed'),
      connect: connectTo(targets),
      admins: [await signInAsAdmin(origin)],
      provider: { origin, secretKey: await readSecretKey(place), fetch },
    });
    const { ledger, products } = load;
    products.length = 0;
    while (products.length < productCount) await addProduct(load, stock);
    while (ledger.customers.length < 40) await signUpCustomer(load);
    const placeAny = () => placeBasket(load, load.random.pick(ledger.customers));
    const workers = Array<Action[]>(40).fill(weigh([5, placeAny], [1, repeatWrite]));

    await runLoad(load, workers, async () => {
      await expect.poll(() => ledger.orders.size, { interval: 1 }).toBeGreaterThan(ordersBeforeKill);
      await victim.kill('SIGKILL');
    });
    expect(ledger.unanswered).toBeGreaterThan(0);
    // Audit the state that the crash has left behind.
    expect(auditBooks(await readBooks(place), ledger.products)).toEqual([]);
    targets.shift();
    if (!survivor) {
      const restarted = await startProcess(place, victim.port);
      processes.push(restarted);
      targets.push(restarted);
    }
    // The workers also repeat requests that got no response before the kill.
    const countSoldOut = () => ledger.rejected.get('urn:problem:out_of_stock') ?? 0;
    await runLoad(load, workers, () => expect.poll(countSoldOut).toBeGreaterThan(200));
    expect(await compareWithLedger(place, load)).toEqual([]);
    expect(ledger.orders.size).toBeGreaterThan(ordersBeforeKill);

    await processes.at(-1)?.kill('SIGTERM');
    for (const { output } of processes) {
      expect(listErrors(output)).toEqual([]);
      expect(output.out + output.err).not.toMatch(/deadlock|40P01/);
    }
    // Responses would not show a deadlock, because the shop retries the transaction that PostgreSQL aborts. So count the
    // deadlocks.
    if (engine === 'postgres') expect(await countDeadlocks(place)).toBe(0);
  },
);

type Started = Awaited<ReturnType<typeof startProcess>>;

/** Starts the built shop and waits until it listens. */
async function startProcess(place: DatabaseLocation, port: number) {
  const folder = 'file' in place ? dirname(place.file) : makeFolder();
  if ('url' in place) onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = runProgram(process.execPath, [builtServerPath], {
    PORT: `${port}`,
    DATA_DIR: folder,
    AUTH_SECRET: 'the same for all of the processes here',
    TRUSTED_PROXIES: '127.0.0.1,::1',
    ...('url' in place ? { DATABASE_URL: place.url } : {}),
  });
  await program.firstLine();
  return { ...program, port, origin: `http://127.0.0.1:${port}` };
}

/** Logged errors, and stderr lines that are not JSON. */
const listErrors = ({ err }: { err: string }): string[] =>
  err.split('\n').filter((line) => /"level":[56]0/.test(line) || (line !== '' && !line.startsWith('{')));

/** The number of deadlocks in this database. A backend reports its deadlocks when it exits. */
function countDeadlocks(place: DatabaseLocation): Promise<number> {
  return withDatabases(place, async ({ shop }) => {
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks::int from pg_stat_database where datname = current_database()`.execute(shop);
    return rows[0]?.deadlocks ?? expect.unreachable();
  });
}
