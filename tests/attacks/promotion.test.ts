import { describe, expect, test } from 'vitest';
import { engines } from '../support/database.ts';
import { liveSettings } from '../support/live-settings.ts';
import { catchProblem } from '../support/problem.ts';
import { startShop } from '../support/shop.ts';

const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'shop@shop.example' };

describe.each(engines)('on %s', (engine) => {
  test('in a live shop that sends mail, a stranger who signed up with a colleague’s address is not promoted', async () => {
    await using provider = await startShop();
    await provider.listen();
    await using shop = await startShop({ engine, settings: { ...liveSettings(provider), ...mail } });
    const [ada, stranger] = [shop.client(await shop.admin()), await shop.signUp('Colleague')];
    const params = { email: stranger.email };
    const findState = async () => {
      const users = await ada.call('listUsers', { query: { q: stranger.email } });
      return users.map(({ emailVerified, role }) => [emailVerified, role]);
    };
    expect(await findState()).toEqual([[false, undefined]]);
    const problem = await catchProblem(ada.call('makeAdmin', { params }));
    expect(problem).toMatchObject({ status: 409, type: 'urn:problem:address_unconfirmed' });
    expect(problem.detail).toContain(`Colleague has not confirmed ${stranger.email}`);
    expect(await findState()).toEqual([[false, undefined]]);
    const unknown = catchProblem(ada.call('makeAdmin', { params: { email: 'nobody@example.com' } }));
    expect(await unknown).toMatchObject({ status: 404 });

    const { db } = shop.database;
    await db.updateTable('user').set({ emailVerified: true }).where('email', '=', stranger.email).execute();
    expect(await ada.call('makeAdmin', { params })).toEqual({ modifiedCount: 1 });
    expect(await ada.call('makeAdmin', { params })).toEqual({ modifiedCount: 0 });
    expect(await findState()).toEqual([[true, 'admin']]);
  });

  test('a live shop without mail, where nobody can confirm an address, and a sandbox promote any account', async () => {
    await using sandbox = await startShop({ engine });
    await sandbox.listen();
    await using live = await startShop({ engine, settings: liveSettings(sandbox) });
    for (const shop of [sandbox, live]) {
      const [ada, tom] = [shop.client(await shop.admin()), await shop.signUp()];
      const listed = await ada.call('listUsers', { query: { q: tom.email } });
      expect(listed.map(({ emailVerified }) => emailVerified)).toEqual([false]);
      expect(await ada.call('makeAdmin', { params: { email: tom.email } })).toEqual({ modifiedCount: 1 });
    }
  });
});
