import { expect, test } from 'vitest';
import { addProduct, refundOrder, shipOrder, workAtDesk } from '../../../../tests/load/admin-actions.ts';
import { compareWithLedger } from '../../../../tests/load/comparison.ts';
import { payOrder, placeBasket } from '../../../../tests/load/customer-actions.ts';
import { isPaid } from '../../../../tests/load/ledger.ts';
import { runLoad } from '../../../../tests/load/load.ts';
import { createLocalActions, createLocalLoad } from '../../../../tests/load/local-load.ts';
import { answerDispute, callProvider, refundAtProvider } from '../../../../tests/load/provider-actions.ts';
import { weigh } from '../../../../tests/load/workers.ts';
import { auditBooks, auditMoney, readBooks } from '../../../../tests/support/auditor.ts';
import { engines } from '../../../../tests/support/database.ts';
import { startShop } from '../../../../tests/support/shop.ts';

const rounds = 25;
/** How many refunds and other changes happen at once. */
const changesPerRound = 6;

test.each(engines)(
  'on %s, the books balance whatever admins, the provider and the bank do at once, and however the provider fails',
  async (engine) => {
    const rateLimits = { intentsPerUser: 1000 };
    await using shop = await startShop({ engine, rateLimits, allowErrorLogs: true });
    const place = shop.config.database;
    const load = await createLocalLoad([shop]);
    const { ledger, random } = load;
    for (let index = 0; index < 3; index++) await addProduct(load);
    await runLoad(load, [[placeBasket, payOrder]], () =>
      expect.poll(() => [...ledger.orders.values()].filter(isPaid).length).toBeGreaterThan(12),
    );

    const { decideRefund, failRefundCalls, doPeriodicWork } = createLocalActions(shop);
    const changes = weigh(
      [8, refundOrder],
      [5, workAtDesk],
      [1, shipOrder],
      [2, refundAtProvider],
      [1, answerDispute],
      [2, decideRefund],
      [1, doPeriodicWork],
      [2, failRefundCalls],
      [1, placeBasket],
      [1, payOrder],
    );
    for (let round = 0; round < rounds; round++) {
      await Promise.all(Array.from({ length: changesPerRound }, () => random.pick(changes)?.(load)));
      expect(auditBooks(await readBooks(place), ledger.products)).toEqual([]);
    }
    // Continue until the provider has no failures left and everything is settled.
    await expect
      .poll(async () => {
        await callProvider(load, '/refunds', { payment_intent: 'pi_none' });
        await doPeriodicWork();
        return auditMoney(await readBooks(place));
      })
      .toEqual([]);
    expect(await compareWithLedger(place, load)).toEqual([]);
    const refunds = await shop.database.db.selectFrom('refund').select(['status', 'actor']).execute();
    expect(refunds.some(({ status }) => status === 'succeeded')).toBe(true);
    expect(new Set(refunds.map(({ actor }) => actor !== ''))).toEqual(new Set([true, false]));
  },
  60_000,
);
