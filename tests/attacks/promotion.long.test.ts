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
    const [admin, stranger] = [await shop.admin(), await shop.signUp('Colleague')];
    const ada = shop.client(admin);
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
    const readList = async () => (await shop.send('/dashboard/users', {}, admin)).text();
    const [offer, reason] = [
      'aria-label="Make Admin: Colleague"',
      'Can become an admin once the address is confirmed.',
    ];
    const refused = await readList();
    expect([refused.includes(offer), refused.includes(reason)]).toEqual([false, true]);
    const unknown = catchProblem(ada.call('makeAdmin', { params: { email: 'nobody@example.com' } }));
    expect(await unknown).toMatchObject({ status: 404 });

    const { db } = shop.database;
    await db.updateTable('user').set({ emailVerified: true }).where('email', '=', stranger.email).execute();
    const offered = await readList();
    expect([offered.includes(offer), offered.includes(reason)]).toEqual([true, false]);
    expect(await ada.call('makeAdmin', { params })).toEqual({ modifiedCount: 1 });
    expect(await ada.call('makeAdmin', { params })).toEqual({ modifiedCount: 0 });
    expect(await findState()).toEqual([[true, 'admin']]);
  });

  test('a live shop without mail, where nobody can confirm an address, and a sandbox promote any account', async () => {
    await using sandbox = await startShop({ engine });
    await sandbox.listen();
    await using live = await startShop({ engine, settings: liveSettings(sandbox) });
    for (const shop of [sandbox, live]) {
      const [admin, tom] = [await shop.admin(), await shop.signUp()];
      const ada = shop.client(admin);
      const list = await (await shop.send('/dashboard/users', {}, admin)).text();
      expect(list).toContain(`aria-label="Make Admin: ${tom.name}"`);
      const listed = await ada.call('listUsers', { query: { q: tom.email } });
      expect(listed.map(({ emailVerified }) => emailVerified)).toEqual([false]);
      expect(await ada.call('makeAdmin', { params: { email: tom.email } })).toEqual({ modifiedCount: 1 });
    }
  });
});
