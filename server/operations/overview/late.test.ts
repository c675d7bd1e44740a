import { expect, onTestFinished, test, vi } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { buyDelivered, setUpDelivery, toGreatBritain } from '../../../tests/support/delivery.ts';
import { refundOrder, shipOrder } from '../../../tests/support/payments.ts';
import { startShop } from '../../../tests/support/shop.ts';

test.each(engines)(
  'the overview lists the purchases that cannot arrive as promised, on %s',
  async (engine) => {
    await using shop = await startShop({ engine });
    onTestFinished(() => void vi.useRealTimers());
    // A Monday morning: the parcels must be sent on that day.
    vi.setSystemTime(Date.UTC(2030, 0, 7, 9));
    const [tom, admin] = [await shop.signUp('Tom'), await shop.admin()];
    const client = shop.client(admin);
    const readLate = async () => (await client.call('getOverview', {})).late;
    const flat = { by: 'flat', price: 0 } as const;
    const rates = toGreatBritain([
      { ...flat, _id: 'post', name: 'Tracked 48', days: [2, 3] },
      { ...flat, _id: 'pickup', name: 'Collect it', days: [0, 0], pickup: '5 Mill Lane' },
    ]);
    await setUpDelivery(shop, { zones: rates }, admin);
    const gauge = await shop.addProduct({ name: 'Gauge', price: 12.5, a_quantity: 100 });
    const buy = async (rate = 'post') => (await buyDelivered(shop, tom, [[gauge, 1]], rate)).purchase;
    const [waiting, shipped, refunded] = [await buy(), await buy(), await buy()];
    // No day is promised for what is collected, so it is never late.
    await buy('pickup');
    const shipping = { orderStatus: 'sipping' as const };
    await shipOrder(client, { params: { id: shipped.orders[0]?._id ?? '' }, body: shipping });
    const params = { id: refunded.orders[0]?._id ?? '' };
    await refundOrder(client, { params, body: { amount: 12.5, quantity: 1, reason: 'other' } });
    expect(await readLate()).toBeUndefined();
    vi.setSystemTime(Date.UTC(2030, 0, 8, 9));
    expect(await readLate()).toEqual({
      purchases: 1,
      first: [{ number: waiting.number, sendBy: '2030-01-07', promised: '2030-01-10' }],
    });
  },
);
