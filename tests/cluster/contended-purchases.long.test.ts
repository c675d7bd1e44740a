import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  addProduct,
  adjustStock,
  archiveProduct,
  refundOrder,
  shipOrder,
  workAtDesk,
} from '../load/admin-actions.ts';
import { compareWithLedger } from '../load/comparison.ts';
import { deleteAccount, deleteOrder, payOrder, placeBasket, repeatWrite } from '../load/customer-actions.ts';
import { type Action, runLoad, waitForResponses } from '../load/load.ts';
import { createLocalActions, createLocalLoad } from '../load/local-load.ts';
import { answerDispute, refundAtProvider } from '../load/provider-actions.ts';
import { weigh } from '../load/workers.ts';
import { auditMoney, readBooks } from '../support/auditor.ts';
import { engines, makeTestDatabase } from '../support/database.ts';
import { requestStripe } from '../support/payments.ts';
import { startShop } from '../support/shop.ts';

/** The texts of statements that PostgreSQL has aborted because of a deadlock; the shop retries their transactions. */
const deadlocks: unknown[] = [];

// All statements of a pool go through this method.
pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
  apply(query, client: pg.Client, args: unknown[]) {
    const result: unknown = Reflect.apply(query, client, args);
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === '40P01') deadlocks.push(args[0]);
      });
    return result;
  },
});

const actions = weigh(
  [4, placeBasket],
  [6, payOrder],
  [2, deleteOrder],
  [4, refundOrder],
  [2, refundAtProvider],
  [1, answerDispute],
  [2, shipOrder],
  [1, adjustStock],
  [1, archiveProduct],
  [4, workAtDesk],
  [1, deleteAccount],
  [1, repeatWrite],
);

/**
 * The load runs until each of these actions has succeeded. The order desk's other calls are left out, because few purchases need
 * them.
 */
const expected = [
  'adjustStock',
  'createPaymentIntent',
  'deleteOrder',
  'deleteUser',
  'editProduct',
  'markOrderPaid',
  'placePurchase',
  'refund all',
  'refundOrder',
  'return',
  'shipOrder',
  'webhook',
];

test.each(engines)(
  'on %s, hundreds of conflicting requests about the same purchases and products keep the books balanced',
  { timeout: 120_000 },
  async (engine) => {
    const place = await makeTestDatabase(engine, 'migrated');
    const start = async () => {
      const settings = { AUTH_SECRET: 'the same for all of the shops here' };
      const rateLimits = { intentsPerUser: 100_000, signUpsPerAddress: 100_000 };
      const shop = await startShop({ place, settings, rateLimits, allowErrorLogs: true });
      onTestFinished(shop.close);
      return shop;
    };
    const first = await start();
    const shops = [first, ...(engine === 'postgres' ? [await start(), await start()] : [])] as const;
    const load = await createLocalLoad(shops);
    for (let index = 0; index < 5; index++) await addProduct(load, 300);
    const { sendWebhook, decideRefund, doPeriodicWork } = createLocalActions(first);
    const workers = Array<Action[]>(60).fill([...actions, ...weigh([4, sendWebhook], [2, decideRefund])]);
    await runLoad(load, workers, async () => {
      await waitForResponses(load, 1500);
      await vi.waitFor(() => expect([...load.ledger.succeeded]).toEqual(expect.arrayContaining(expected)), {
        timeout: 60_000,
      });
    });

    const { ledger } = load;
    expect(ledger.unanswered).toBe(0);
    const errors = shops.flatMap(({ logged }) => logged.filter(({ level }) => level >= 50));
    expect(errors).toEqual([]);
    expect(deadlocks).toEqual([]);
    expect(await compareWithLedger(place, load)).toEqual([]);
    // The bank decides on refunds, and the periodic work finishes what is open.
    await vi.waitFor(
      async () => {
        for (const { id } of (await requestStripe(first, 'GET', '/refunds?limit=100')).data)
          await first.stripe.finish(id);
        await doPeriodicWork();
        expect(auditMoney(await readBooks(place))).toEqual([]);
      },
      { timeout: 30_000 },
    );
    expect(await compareWithLedger(place, load)).toEqual([]);
  },
);
