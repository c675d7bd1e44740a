import { afterAll, beforeAll, expect, test } from 'vitest';
import { loseStock } from '../support/late-payment.ts';
import type { TestUser } from '../support/requests.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { pressButton } from './steps.ts';

let stage: Stage;
let ada: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  await stage.shop.stripe.close();
  ada = await stage.shop.admin();
});
afterAll(() => stage?.close());

test('an admin opens an order with a late payment from All Orders, and accepts it once the pieces are there', async () => {
  const { shop } = stage;
  const tom = await shop.signUp();
  const { purchase, product, intent } = await loseStock(shop, tom);
  const own = await stage.open({ as: tom });
  await openPath(own, `/dashboard/orders/${purchase.number}`);
  await own.getByText('We found your payment for this order').waitFor();
  expect(await own.getByRole('button', { name: 'Order again' }).count()).toBe(0);

  const page = await stage.open({ as: ada, expected: [/status of 409/] });
  await openPath(page, '/dashboard/allOrders');
  await page.getByRole('main').getByText(intent.id).waitFor();
  await page.getByRole('listitem').getByRole('link', { name: purchase.number }).click();
  await page.getByText('The customer paid in time').waitFor();
  await pressButton(page, 'Accept the payment');
  await page.getByText('There is not enough stock of').waitFor();
  const delivery = { params: { id: product._id }, body: { change: 2, reason: 'delivery' } } as const;
  await shop.client(ada).call('adjustStock', delivery);
  await pressButton(page, 'Accept the payment');
  await page.getByText('The payment is settled.').waitFor();
  await page.getByText(`Transaction ${intent.id}`).waitFor();
  expect(await page.getByRole('button', { name: 'Accept the payment' }).count()).toBe(0);
});

test('without scripts, an admin refunds a late payment', async () => {
  const { shop } = stage;
  const tom = await shop.signUp();
  const { purchase, intent } = await loseStock(shop, tom);
  const page = await stage.open({
    as: ada,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /status of 409/],
  });
  await page.goto(`/dashboard/orders/${purchase.number}`);
  await pressButton(page, 'Accept the payment');
  await page.getByRole('alert').getByText('There is not enough stock of').waitFor();
  await pressButton(page, 'Refund the payment');
  await page.getByText('The payment is settled.').waitFor();
  const payments = shop.database.db.selectFrom('payment').select('state').where('intent', '=', intent.id);
  expect(await payments.execute()).toEqual([{ state: 'refunded' }]);
  const own = await stage.open({ as: tom });
  await openPath(own, `/dashboard/orders/${purchase.number}`);
  await own.getByRole('button', { name: 'Order again' }).waitFor();
});
