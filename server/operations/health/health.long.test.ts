import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engines, makeDatabase } from '../../../tests/support/database.ts';
import { startMailServer } from '../../../tests/support/mail-server.ts';
import { changeOrders, insertOrders } from '../../../tests/support/order-rows.ts';
import { confirmIntent, openPayment, placeOrder, reportPaid } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { recordStatements } from '../../../tests/support/statements.ts';
import { sendEvent, succeededEvent } from '../../../tests/support/stripe-event.ts';
import type { Engine } from '../../database/schema.ts';

const getHealth = async (shop: TestShop, admin: TestUser) => shop.client(admin).call('getHealth', {});

/** Two processes that share a database; on SQLite they are one and the same. */
async function startProcesses(engine: Engine) {
  const { place, drop } = await makeDatabase(engine, 'migrated');
  const settings = { AUTH_SECRET: 'a secret of thirty-two characters' };
  const options = { engine, place, settings, allowErrorLogs: true };
  // Includes statements that a timer of the first process runs.
  const { result: one, statementsOf: of } = await recordStatements(() => startShop(options));
  const other = engine === 'sqlite' ? one : await startShop(options);
  return {
    one,
    other,
    listInserts: (table: string) =>
      of(one.database.db).filter(({ sql }) => sql.includes(`insert into "${table}"`)),
    async [Symbol.asyncDispose]() {
      if (other !== one) await other.close();
      await one.close();
      await drop();
    },
  };
}

describe.each(engines)('on %s', (engine) => {
  test('a webhook and its payment are visible through every process', async () => {
    await using processes = await startProcesses(engine);
    const { one, other } = processes;
    // Only this test sends events.
    await one.stripe.close();
    const [admin, tom, product] = [await one.admin(), await one.signUp(), await one.addProduct()];
    const order = await placeOrder(one, tom, product);
    const intent = await openPayment(one, tom, order);
    const before = await getHealth(other, admin);
    expect(before.facts.webhook).toEqual({ lastAt: null, lastOfPaymentAt: null });
    expect(before.facts.payments).toMatchObject({ lastPaidAt: null, open: 1 });

    expect((await sendEvent(one, succeededEvent('pi_of_another_shop'))).status).toBe(200);
    await expect.poll(async () => (await getHealth(other, admin)).facts.webhook.lastAt, wait).not.toBeNull();
    expect((await getHealth(other, admin)).facts.webhook.lastOfPaymentAt).toBeNull();

    await confirmIntent(one, intent);
    expect((await sendEvent(one, succeededEvent(intent.id))).status).toBe(200);
    await expect
      .poll(async () => (await getHealth(other, admin)).facts.webhook.lastOfPaymentAt, wait)
      .not.toBeNull();
    const { payments, holds } = (await getHealth(other, admin)).facts;
    expect(payments).toMatchObject({ lastPaidAt: expect.any(String), open: 0, oldestOpenAt: null });
    expect(holds.orders).toBe(0);
  });

  test('a forged webhook is not recorded', async () => {
    await using processes = await startProcesses(engine);
    const { one } = processes;
    const admin = await one.admin();
    expect((await sendEvent(one, succeededEvent('pi_a'), { secret: 'whsec_other' })).status).toBe(400);
    expect((await sendEvent(one, succeededEvent('pi_a'))).status).toBe(200);
    await expect.poll(async () => (await getHealth(one, admin)).facts.webhook.lastAt, wait).not.toBeNull();
    expect(
      processes.listInserts('last_time').filter(({ parameters }) => parameters.includes('webhook')),
    ).toHaveLength(1);
  });

  test('an outage of payments that an earlier process recorded ends once the provider works', async () => {
    const { place, drop } = await makeDatabase(engine, 'migrated');
    const options = { engine, place, settings: { AUTH_SECRET: 'a secret of thirty-two characters' } };
    const outage = { service: 'payments', problem: 'silent', since: Date.now() - 60_000 } as const;
    const first = await startShop(options);
    await first.database.db.insertInto('outage').values(outage).execute();
    await first.close();
    {
      await using shop = await startShop(options);
      const listOutages = () => shop.database.db.selectFrom('outage').selectAll().execute();
      await expect.poll(listOutages, wait).toEqual([]);
    }
    await drop();
  });

  test('errors are visible in every process and are saved at most every two seconds', async () => {
    await using processes = await startProcesses(engine);
    const { one, other } = processes;
    const admin = await one.admin();
    await sql`alter table review rename to review_away`.execute(one.database.db);
    const began = Date.now();
    const requestIds: string[] = [];
    for (let round = 0; round < 15; round++) {
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => sendCall(one, 'listReviews', { headers: tokenHeaders(admin) })),
      );
      for (const response of responses) {
        expect(response.status).toBe(500);
        requestIds.push((await readProblem(response)).requestId);
      }
    }
    await expect.poll(async () => (await getHealth(other, admin)).facts.errors.count, wait).toBe(150);
    expect(processes.listInserts('error_count').length).toBeLessThanOrEqual(1 + (Date.now() - began) / 2000);
    const { facts, troubles } = await getHealth(other, admin);
    expect(facts.errors.kinds).toMatchObject([{ what: 'a request failed unexpectedly', times: 150 }]);
    expect(requestIds).toContain(facts.errors.kinds[0]?.requestId);
    expect(troubles.map(({ what }) => what)).toEqual([expect.stringMatching(/^150 errors in the last day/)]);
    // The hour may have ended meanwhile.
    const rows = await one.database.db.selectFrom('error_count').select('times').execute();
    expect(rows.length).toBeLessThanOrEqual(2);
  });

  test('a rejected refund stays due until the provider accepts it', async () => {
    await using processes = await startProcesses(engine);
    const { one } = processes;
    await one.stripe.close();
    const [admin, tom, product] = [await one.admin(), await one.signUp(), await one.addProduct()];
    const order = await placeOrder(one, tom, product);
    const intent = await openPayment(one, tom, order);
    await confirmIntent(one, intent);
    // The payment no longer matches the total.
    await changeOrders(one, { total: 1 }, order._id);
    one.stripe.fail({ call: 'POST /v1/refunds', how: 500, times: 3 });
    const work = async () => {
      await one.doPeriodicWork();
      return (await getHealth(one, admin)).facts.payments;
    };
    await expect.poll(work, wait).toMatchObject({ refundsDue: 1, open: 0 });
    const waiting = await getHealth(one, admin);
    expect(waiting.troubles.map(({ what }) => what)).toContainEqual(
      expect.stringContaining('1 payment came without an order to pay'),
    );
    await expect.poll(work, wait).toMatchObject({ refundsDue: 0, oldestRefundAt: null });
  });

  test('a provider that fails twice is a problem, in every process, until it works again; one failure is not', async () => {
    await using processes = await startProcesses(engine);
    const { one, other } = processes;
    await one.stripe.close();
    const [admin, tom, product] = [await one.admin(), await one.signUp(), await one.addProduct()];
    const order = await placeOrder(one, tom, product);
    const listTroubles = async () => (await getHealth(other, admin)).troubles.map(({ what }) => what);
    expect((await getHealth(other, admin)).untried).toContain('No order has been paid yet.');
    expect(await listTroubles()).toEqual([]);

    one.stripe.fail({ call: 'POST /v1/payment_intents', how: 'unreachable', times: 2 });
    expect(await catchProblem(openPayment(one, tom, order))).toMatchObject({ status: 503 });
    await openPayment(one, tom, order);
    await one.doPeriodicWork();
    expect(await listTroubles()).toEqual([]);
    const messages = one.database.db.selectFrom('mail').select('id').where('kind', '=', 'health problem');
    expect(await messages.execute()).toEqual([]);

    // The shop then checks the connection.
    one.stripe.fail({ call: 'GET /v1/payment_intents', how: 'unreachable', times: 2 });
    one.stripe.fail({ call: 'GET /v1/payment_intents/:id', how: 'unreachable', times: 2 });
    expect(await catchProblem(openPayment(one, tom, order))).toMatchObject({ status: 503 });
    const isOutage =
      /^Customers cannot pay since \d\d \w{3} \d{4}, \d\d:\d\d UTC: the stand-in for Stripe does not respond\.$/;
    await expect.poll(listTroubles, wait).toContainEqual(expect.stringMatching(isOutage));

    const intent = await openPayment(one, tom, order);
    await expect.poll(listTroubles, wait).not.toContainEqual(expect.stringMatching(/^Customers/));
    await confirmIntent(one, intent);
    await reportPaid(one, tom, order, intent);
    const listUntried = async () => (await getHealth(other, admin)).untried;
    await expect.poll(listUntried, wait).not.toContain('No order has been paid yet.');
  });

  test('a mail server that refuses the connection is a problem at once, until it accepts a message', async () => {
    const server = await startMailServer();
    await server.close();
    const settings = { SMTP_URL: server.url, MAIL_FROM: 'shop@shop.example' };
    await using shop = await startShop({ engine, settings });
    await shop.listen();
    const admin = await shop.admin();
    const listTroubles = async () => (await getHealth(shop, admin)).troubles.map(({ what }) => what);
    // The outage begins with the message that confirms the admin's address.
    const isOutage =
      /^Mail has not left since \d\d \w{3} \d{4}, \d\d:\d\d UTC: the server refuses the connection\.$/;
    await expect.poll(listTroubles, wait).toEqual([expect.stringMatching(isOutage)]);
    expect((await getHealth(shop, admin)).untried).toContain('No message has been sent yet.');
    // No message about the outage is added, because it would not arrive.
    await shop.doPeriodicWork();
    expect(
      await shop.database.db.selectFrom('mail').select('id').where('kind', '=', 'health problem').execute(),
    ).toEqual([]);

    await startMailServer({ port: server.port });
    // After the failure, the message waits.
    await shop.database.db.updateTable('mail').set({ due_at: 1 }).execute();
    await expect.poll(listTroubles, wait).toEqual([]);
    expect((await getHealth(shop, admin)).untried).toEqual(['No order has been paid yet.']);
  });

  test('counts stop at a thousand, and old errors are deleted', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const admin = await shop.admin();
    const now = Date.now();
    const hour = Math.floor(now / 3_600_000);
    await insertOrders(
      shop,
      Array.from({ length: 1100 }, () => ({ status: '' as const, quantity: 2 })),
    );
    const failure = (at: number) => ({
      what: 'it failed',
      times: 1,
      hour: at,
      last_at: at,
      request_id: null,
    });
    await db
      .insertInto('error_count')
      .values([hour, hour - 10, hour - 30, hour - 60].map(failure))
      .execute();
    const { facts } = await getHealth(shop, admin);
    expect(facts.holds).toMatchObject({ orders: 1000, pieces: 2000 });
    expect(facts.errors).toMatchObject({ count: 2, kinds: [{ times: 2, requestId: null }] });
    await expect
      .poll(async () => {
        await shop.doPeriodicWork();
        return db.selectFrom('error_count').select('hour').orderBy('hour').execute();
      }, wait)
      .toEqual([hour - 30, hour - 10, hour].map((at) => ({ hour: at })));
  });
});

const wait = { timeout: 15_000, interval: 100 };
