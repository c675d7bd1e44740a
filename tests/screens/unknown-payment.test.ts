import { expect, test } from 'vitest';
import { readText } from './page-text.ts';
import { openPath, openStage } from './stage.ts';

test('All Orders shows the admin payments for unknown orders', async () => {
  const stage = await openStage({ demo: false });
  try {
    const { shop } = stage;
    await shop.database.db
      .insertInto('unknown_payment')
      .values({ intent: 'pi_lost', amount: 700, currency: 'USD', order_id: 'before', seen_at: 0 })
      .execute();
    const page = await stage.open({ as: await shop.admin() });
    await openPath(page, '/dashboard/allOrders');
    const text = await readText(page.getByRole('main'));
    expect(text).toContain('These payments are missing from the shop’s database');
    expect(text).toContain('USD 7.00 · pi_lost · 01 Jan 1970, 00:00 UTC');
  } finally {
    await stage.close();
  }
});
