import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatDays } from '../../contract/moment.ts';
import type { Purchase } from '../../contract/orders/purchases.ts';
import { home, payPurchase, saveCheckout, setUpDelivery } from '../support/delivery.ts';
import { placePurchase, requestStripe } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let ada: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  ada = await stage.shop.admin('Ada Harrison');
  await setUpDelivery(stage.shop, {}, ada);
});
afterAll(() => stage?.close());

/** Nora with a saved purchase of two tools for 25.00 and 3.00, sent for 4.50. */
async function order(more: Parameters<typeof saveCheckout>[4] = {}, rate = 'post') {
  const { shop } = stage;
  const nora = await shop.signUp('Nora Newcomer');
  const gauge = await shop.addProduct({ name: 'Gauge', price: 12.5 });
  const broach = await shop.addProduct({ name: 'Broach', price: 3 });
  const placed = await placePurchase(shop, nora, [
    [gauge, 2],
    [broach, 1],
  ]);
  const saved = await saveCheckout(shop, nora, placed, rate, more);
  const read = () => shop.client(ada).call('getPurchase', { params: { id: placed._id } });
  return { nora, saved, read };
}

async function buy(more: Parameters<typeof order>[0] = {}, card?: string) {
  const ordered = await order(more);
  const { purchase, intent } = await payPurchase(stage.shop, ordered.nora, ordered.saved, card);
  return { ...ordered, purchase, intent };
}

const path = ({ number }: Purchase) => `/dashboard/orders/${number}`;
const open = async (as: TestUser, at: string, javaScriptEnabled = true): Promise<Page> => {
  const expected = [/status of (409|422)/, ...(javaScriptEnabled ? [] : [/static\/js\/.*: csp$/])];
  const page = await stage.open({ as, javaScriptEnabled, expected });
  await (javaScriptEnabled ? openPath(page, at) : page.goto(at));
  return page;
};
const readMain = (page: Page) => readText(page.locator('main'));

test.each([true, false])(
  'a refund includes a part of the delivery, and the page shows it (scripts: %s)',
  async (hasScripts) => {
    const { nora, purchase, read } = await buy();
    const page = await open(ada, path(purchase), hasScripts);
    expect(await readMain(page)).toContain('DeliveryTracked 48, USD 4.50');
    await page.getByRole('link', { name: 'Refund… Gauge' }).click();
    await page.getByText('In addition, at most USD 4.50.').waitFor();
    await page.getByLabel('Pieces to refund').fill('1');
    await page.getByLabel('Amount to refund').fill('12.50');
    await page.getByLabel('Delivery to refund').fill('5');
    await page.getByLabel('Other reason').check();
    const press = () => page.getByRole('button', { name: /^Refund( USD |$)/ }).click();
    if (hasScripts) await page.getByRole('button', { name: 'Refund USD 17.50' }).waitFor();
    await press();
    await page.getByText('At most USD 4.50 of delivery can still be refunded').first().waitFor();
    expect(await page.getByLabel('Delivery to refund').inputValue()).toBe('5');
    await page.getByLabel('Delivery to refund').fill('2');
    await press();
    await page.getByRole('region', { name: 'Delivery', exact: true }).getByText('USD 2.00').waitFor();
    expect(await read()).toMatchObject({
      refunded: 14.5,
      orders: [{ refunded: 12.5, refundedQuantity: 1 }, {}],
      charges: [{ refunded: 2 }],
    });
    const own = await open(nora, path(purchase), hasScripts);
    expect(await readText(own.getByRole('region', { name: 'Delivery', exact: true }))).toContain(
      'Tracked 48 for USD 4.50USD 2.00refunded',
    );
    expect(await readText(own.getByRole('region', { name: 'History' }))).toContain(
      'Refunded: USD 2.00 · Delivery',
    );
  },
);

test('delivery alone is refunded with an amount of 0, or by the form for the rest', async () => {
  const { purchase, read } = await buy();
  const page = await open(ada, path(purchase));
  await page.getByRole('link', { name: 'Refund… Broach' }).click();
  await page.getByLabel('Pieces to refund').fill('');
  await page.getByLabel('Amount to refund').fill('0');
  await page.getByLabel('Delivery to refund').fill('1');
  await page.getByLabel('Other reason').check();
  await page.getByRole('button', { name: 'Refund USD 1.00' }).click();
  await page.getByText('Refund for Broach requested.').waitFor();
  const params = { id: purchase._id };
  const client = stage.shop.client(ada);
  for (const { _id, price } of purchase.orders) {
    const { version } = await client.call('getPurchase', { params });
    await client.call('refundOrder', {
      params: { id: _id },
      body: { version, amount: price, reason: 'other', quantity: 0, restock: 0, stillSend: true },
    });
  }
  await openPath(page, path(purchase));
  await page.getByRole('link', { name: 'Refund the whole order, USD 3.50…' }).click();
  await page.getByLabel('Other reason').check();
  await page.getByRole('button', { name: 'Refund USD 3.50' }).click();
  await page.getByText('Refund requested.').waitFor();
  expect(await read()).toMatchObject({ refunded: 32.5, charges: [{ refunded: 4.5 }] });
});

test('what is owed of delivery alone is settled on the order page', async () => {
  const { purchase, read, intent } = await buy({}, 'pm_card_refundFail');
  const client = stage.shop.client(ada);
  await client.call('refundOrder', {
    params: { id: purchase.orders[0]?._id ?? '' },
    body: {
      version: purchase.version,
      amount: 0,
      reason: 'other',
      quantity: 0,
      restock: 0,
      charges: [{ kind: 'delivery', amount: 2 }],
    },
  });
  const { data } = await requestStripe(stage.shop, 'GET', `/refunds?payment_intent=${intent}`);
  for (const { id } of data) await stage.shop.stripe.finish(id);
  // The periodic work leaves newer refunds to the webhook.
  await stage.shop.database.db
    .updateTable('refund')
    .set({ created_at: Date.now() - 120_000 })
    .execute();
  await stage.shop.doPeriodicWork();
  const page = await open(ada, path(purchase));
  await page.getByText('USD 2.00 still owed: a refund has failed.').waitFor();
  await page.getByRole('link', { name: 'Refund again or settle…' }).click();
  await page.getByLabel('It was paid back another way').check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('It failed, and was paid back another way.').waitFor();
  expect(await read()).toMatchObject({ refunded: 2, charges: [{ refunded: 2 }] });
});

test('My Orders, the order page and the paid page show the delivery, the total and the promised dates', async () => {
  const { nora, saved } = await order({ remark: 'Ring twice.' });
  const page = await open(nora, '/dashboard/myOrder');
  const card = page.getByRole('article', { name: `Order ${saved.number}` });
  expect(await readText(card)).toMatch(/Reserved until .*Delivery, Tracked 48\$4\.50Total\$32\.50/s);
  expect(await readText(card)).not.toContain('Promised for');
  // Until it is paid, the address is changed where it is chosen.
  const checkout = `/dashboard/payment/${saved.orders[0]?._id}?edit=checkout`;
  expect(await card.getByRole('link', { name: 'Change for order' }).getAttribute('href')).toBe(checkout);
  await openPath(page, path(saved));
  const change = page.getByRole('link', { name: 'Change the delivery details…' });
  expect(await change.getAttribute('href')).toBe(checkout);
  const { purchase } = await payPurchase(stage.shop, nora, saved);
  const { arrives = { from: '', to: '' } } = purchase;
  const days = formatDays(arrives.from, arrives.to);
  const client = stage.shop.client(ada);
  await client.call('refundOrder', {
    params: { id: purchase.orders[1]?._id ?? '' },
    body: {
      version: purchase.version,
      amount: 3,
      reason: 'other',
      quantity: 1,
      restock: 0,
      charges: [{ kind: 'delivery', amount: 1 }],
    },
  });
  await openPath(page, '/dashboard/myOrder');
  expect(await readText(card)).toContain(`Promised for ${days}$4.00 refunded`);
  for (const at of [path(purchase), `/dashboard/payment/${purchase.orders[0]?._id}`]) {
    await openPath(page, at);
    const text = await readMain(page);
    for (const part of [
      'Tracked 48, USD 4.50',
      days,
      'Tom Graham',
      '12 Escapement Row',
      'CV1 5FB',
      'Ring twice.',
    ])
      expect(text, at).toContain(part);
  }
});

test('My Orders, the order page, the paid page and the slip say where an order is collected', async () => {
  const shipTo = { ...home, line1: '', city: '' };
  const { nora, saved } = await order({ shipTo }, 'pickup');
  const { purchase } = await payPurchase(stage.shop, nora, saved);
  const page = await open(nora, '/dashboard/myOrder');
  const own = [path(purchase), `/dashboard/payment/${purchase.orders[0]?._id}`];
  for (const at of ['/dashboard/myOrder', ...own]) {
    await openPath(page, at);
    const text = await readMain(page);
    expect(text, at).toContain('Collect it: Mon–Fri 9–17, 5 Mill Lane');
    expect(text, at).not.toMatch(/No address given|Add an address|Promised for|arrives/);
  }
  const desk = await open(ada, `/dashboard/print/slips?orders=${purchase.number}`);
  expect(await readText(desk.getByRole('article'))).toMatch(
    /Collected by\s*Tom Graham\s*Collect it: Mon–Fri 9–17, 5 Mill Lane/,
  );
});

test.each([true, false])(
  'another country on the page of a product keeps its other parameters and what was typed (scripts: %s)',
  async (hasScripts) => {
    const { shop } = stage;
    const nora = await shop.signUp('Nora Newcomer');
    const { _id } = await shop.addProduct({ name: 'Gauge', price: 12.5 });
    const page = await open(nora, `/purchase/${_id}?sort=lowest`, hasScripts);
    await page.locator('#addQuantity').fill('3');
    await page.getByText('Change the country').click();
    await page.getByLabel('Country', { exact: true }).selectOption('US');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('Delivery per order, to: United States.').waitFor();
    expect(new URL(page.url()).search).toBe('?sort=lowest&country=US');
    if (hasScripts) expect(await page.locator('#addQuantity').inputValue()).toBe('3');
  },
);

test('links lead from the home page to the delivery costs and to a product', async () => {
  await stage.shop.addProduct({ name: 'Pin vice', price: 12.5 });
  const page = await open(await stage.shop.signUp('Nora Newcomer'), '/');
  await page.getByRole('link', { name: 'Delivery costs' }).click();
  await page.getByRole('heading', { name: 'Delivery costs' }).waitFor();
  await openPath(page, '/');
  // The page shows some of the products.
  await page
    .getByRole('link', { name: /^Order / })
    .first()
    .click();
  await page.getByText('Delivery per order, to: United Kingdom.').waitFor();
});

test('the overview lists the orders that cannot arrive as promised any more', async () => {
  const { purchase } = await buy();
  const page = await open(ada, '/dashboard');
  expect(await readMain(page)).not.toContain('Late orders');
  const dates = { arrives_to: '2026-01-09', send_by: '2026-01-06' };
  const { db } = stage.shop.database;
  await db.updateTable('purchase').set(dates).where('id', '=', purchase._id).execute();
  await openPath(page, '/dashboard');
  const row = page.getByRole('listitem').filter({ hasText: `Order ${purchase.number}` });
  expect(await readText(row)).toContain('to be sent by 6 Jan, promised by 9 Jan');
  await row.getByRole('link').click();
  await page.getByRole('heading', { name: `Order ${purchase.number}` }).waitFor();
});

test.each([true, false])(
  'the address of a paid order can be corrected where delivery costs the same (scripts: %s)',
  async (hasScripts) => {
    const { nora, purchase, read } = await buy();
    const page = await open(nora, `${path(purchase)}?edit=delivery`, hasScripts);
    const form = page.getByRole('region', { name: 'Change the delivery details' });
    const save = () => form.getByRole('button', { name: 'Save the address' }).click();
    expect(await form.getByLabel('Name').inputValue()).toBe('Tom Graham');
    // Northern Ireland is another zone.
    await form.getByLabel('Postcode').fill('BT1 5GS');
    await form.getByLabel('Address', { exact: true }).fill('4 Fusee Lane');
    await save();
    await page.getByText('so this order cannot be sent there').first().waitFor();
    expect(await form.getByLabel('Postcode').inputValue()).toBe('BT1 5GS');
    expect(await form.getByLabel('Address', { exact: true }).inputValue()).toBe('4 Fusee Lane');
    await form.getByLabel('Postcode').fill('');
    await save();
    await page.getByText('Postcode is Required').first().waitFor();
    await form.getByLabel('Postcode').fill('LS1 4AP');
    await form.getByLabel('Town or city').fill('Leeds');
    await save();
    await page.getByText('Delivery details saved.').waitFor();
    expect(await read()).toMatchObject({ shipTo: { line1: '4 Fusee Lane', city: 'Leeds' }, price: 32.5 });
    expect(await readMain(page)).not.toContain('Delivery details changed after the payment');
    const desk = await open(ada, path(purchase), hasScripts);
    expect(await readMain(desk)).toMatch(/LS1 4AP\s*Delivery details changed after the payment, on /);
    await (hasScripts
      ? openPath(desk, `/dashboard/print/slips?orders=${purchase.number}`)
      : Promise.resolve());
    if (hasScripts)
      expect(await readText(desk.getByRole('article'))).toMatch(
        /LS1 4AP\s*Delivery details changed after the payment, on /,
      );
  },
);

test.each([true, false])(
  'a refund made at the provider is assigned to a tool and delivery (scripts: %s)',
  async (hasScripts) => {
    const { purchase, intent, read } = await buy();
    await requestStripe(stage.shop, 'POST', '/refunds', { payment_intent: intent, amount: '600' });
    await stage.shop.doPeriodicWork();
    const page = await open(ada, path(purchase), hasScripts);
    const form = page.getByRole('form', { name: 'Assign the refund' });
    const assign = () => form.getByRole('button', { name: 'Assign' }).click();
    await page.getByText('Enter what it was for before you ship anything.').waitFor();
    await form.getByRole('group', { name: 'Broach' }).getByLabel('Amount').fill('1');
    await form.getByLabel('Delivery').fill('5');
    await assign();
    await form.getByText('At most USD 4.50 of delivery can still be refunded').first().waitFor();
    await form.getByLabel('Delivery').fill('4.50');
    await form.getByRole('group', { name: 'Broach' }).getByLabel('Amount').fill('1.50');
    await assign();
    await page.getByText('The refund is assigned.').waitFor();
    expect(await read()).toMatchObject({ orders: [{}, { refunded: 1.5 }], charges: [{ refunded: 4.5 }] });
    await page.getByText('Refund assigned · Delivery').waitFor();
    await page.getByText('Refund assigned to this tool · Broach').waitFor();
  },
);
