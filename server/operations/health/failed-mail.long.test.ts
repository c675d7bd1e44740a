import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { deleteMail } from '../../../tests/support/letters.ts';
import { placeOrder } from '../../../tests/support/payments.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { claimMail, recordAttempt } from '../../mail/outbox.ts';

/** Records that the mail server has refused the next message. */
async function refuseNext({ database }: TestShop): Promise<void> {
  const mail = (await claimMail(database)) ?? expect.unreachable();
  await recordAttempt(database, mail, { state: 'failed', response: '550 No such user' });
}

describe.each(engines)('on %s', (engine) => {
  test('an admin sends all failed messages again, which is audited', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom, product] = [
      await shop.admin(),
      await shop.signUp(),
      await shop.addProduct({ a_quantity: 100 }),
    ];
    await deleteMail(shop);
    const client = shop.client(ada);
    for (let count = 0; count < 12; count++) await placeOrder(shop, tom, product);
    for (let count = 0; count < 11; count++) await refuseNext(shop);
    const { mail: refused } = (await client.call('getHealth', {})).facts;
    expect([refused.waiting, refused.failedCount, refused.failed.length]).toEqual([1, 11, 10]);
    expect(await client.call('retryMail', {})).toEqual({ modifiedCount: 11 });
    expect(await client.call('retryMail', {})).toEqual({ modifiedCount: 0 });
    const { mail: retried } = (await client.call('getHealth', {})).facts;
    expect([retried.waiting, retried.failedCount]).toEqual([12, 0]);
    expect(await client.call('listAudit', { query: { target: 'mail' } })).toEqual([
      expect.objectContaining({ actor: ada.email, action: 'retryMail', target: 'mail', name: '11 messages' }),
    ]);
    await shop.listen();
    await expect.poll(async () => (await shop.inbox.list()).length).toBe(12);
  });
});

test('without scripts, the button on the Health page is a form that sends failed messages again', async () => {
  await using shop = await startShop();
  const [ada, tom] = [await shop.admin(), await shop.signUp()];
  const open = async (path = '/dashboard/health') => (await shop.send(path, {}, ada)).text();
  await deleteMail(shop);
  const button = 'Send failed messages again</button>';
  expect(await open()).not.toContain(button);
  await placeOrder(shop, tom, await shop.addProduct());
  await refuseNext(shop);
  const page = await open();
  expect(page).toContain(button);
  expect(page).toContain('550 No such user');
  const viewer = /name="viewer" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const post = (person = ada) => {
    const body = new URLSearchParams({ form: 'retry-mail', viewer });
    return shop.send('/dashboard/health', { method: 'POST', body }, person);
  };
  expect((await post(tom)).headers.get('location')).toBe('/login?reason=admin');
  const { status, headers } = await post();
  const location = headers.get('location') ?? '';
  expect([status, location]).toEqual([303, '/dashboard/health?done=retried']);
  const after = await open(location);
  expect(after).toContain('The failed messages are being sent again.');
  expect(after).not.toContain(button);
});
