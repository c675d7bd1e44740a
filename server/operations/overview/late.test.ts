import { expect, onTestFinished, test, vi } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { buyDelivered, setUpDelivery } from '../../../tests/support/delivery.ts';
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
    await setUpDelivery(shop, {}, admin);
    const gauge = await shop.addProduct({ name: 'Gauge', price: 12.5, a_quantity: 100 });
    const buy = async (rate = 'post') => (await buyDelivered(shop, tom, [[gauge, 1]], rate)).purchase;
    const [waiting, shipped, refunded] = [await buy(), await buy(), await buy()];
    // Without a promise, nothing is late.
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
