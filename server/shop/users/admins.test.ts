import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { readProblem, sendCall, type TestUser, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const demote = ({ email }: { email: string }, shop: TestShop, by: TestUser) =>
  sendCall(shop, 'removeAdmin', { params: { email }, headers: tokenHeaders(by) });

const countAdmins = async ({ database }: TestShop) =>
  (await database.db.selectFrom('user').select('id').where('role', '=', 'admin').execute()).length;

describe.concurrent.each(engines)('on %s', (engine) => {
  test('removeAdmin revokes the role once, and the next call of each session is rejected', async () => {
    await using shop = await startShop({ engine });
    const [ada, bob, tom] = [await shop.admin(), await shop.admin('Bob'), await shop.signUp()];
    const sessions = [bob, await shop.signIn(bob.email, bob.password)];
    const list = async () =>
      Promise.all(
        sessions.map(async (session) => {
          return (await sendCall(shop, 'listUsers', { headers: tokenHeaders(session) })).status;
        }),
      );
    expect(await list()).toEqual([200, 200]);
    expect((await readProblem(await demote(bob, shop, tom))).status).toBe(403);
    const both = await Promise.all([
      demote({ email: bob.email.toUpperCase() }, shop, ada),
      demote(bob, shop, ada),
    ]);
    const counts = await Promise.all(both.map((response) => response.json()));
    expect(counts.map(({ modifiedCount }) => modifiedCount).sort()).toEqual([0, 1]);
    expect(await list()).toEqual([403, 403]);
    expect(await (await demote(tom, shop, ada)).json()).toEqual({ modifiedCount: 0 });
    expect((await readProblem(await demote({ email: 'nobody@example.com' }, shop, ada))).status).toBe(404);

    const entries = await shop.client(ada).call('listAudit', {});
    expect(entries.map(({ actor, action, target, name }) => [actor, action, target, name])).toEqual([
      [ada.email, 'removeAdmin', bob.email, 'Bob'],
    ]);
  });

  test('a file that is still arriving when the role is revoked or the sessions end is not imported', async () => {
    await using shop = await startShop({ engine });
    const ada = shop.client(await shop.admin());
    const file = Buffer.from('name,price,o_quantity,a_quantity,description\nGauge,1,1,1,For clocks.');
    for (const [end, status] of [
      ['removeAdmin', 403],
      ['signOutUser', 401],
    ] as const) {
      const bob = await shop.admin('Bob');
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        await ada.call(end, { params: { email: bob.email } });
        controller.enqueue(file);
        controller.close();
      };
      const headers = { ...tokenHeaders(bob), origin: shop.origin, 'content-type': 'text/csv' };
      const body = new ReadableStream({ pull }, { highWaterMark: 0 });
      const init = { method: 'POST', headers, body, duplex: 'half' };
      const response = await shop.fetch(new Request(`${shop.origin}/api/products/import`, init));
      expect([end, response.status]).toEqual([end, status]);
    }
    expect(await ada.call('listProducts', {})).toEqual([]);
  });

  test('admins may demote themselves, but not the last admin', async () => {
    await using shop = await startShop({ engine });
    const [ada, bob] = [await shop.admin(), await shop.admin('Bob')];
    expect(await (await demote(ada, shop, ada)).json()).toEqual({ modifiedCount: 1 });
    const problem = await catchProblem(
      shop.client(bob).call('removeAdmin', { params: { email: bob.email } }),
    );
    expect(problem).toMatchObject({ status: 409, type: 'urn:problem:last_admin' });
    expect(await countAdmins(shop)).toBe(1);
    expect(await shop.client(bob).call('listAudit', {})).toHaveLength(1);
  });

  test('when admins demote each other at the same time, one remains', async () => {
    await using shop = await startShop({ engine });
    const admins = [await shop.admin(), await shop.admin('Bob'), await shop.admin('Cid')];
    const { db } = shop.database;
    for (let round = 0; round < 5; round++) {
      await db.updateTable('user').set({ role: 'admin' }).execute();
      const responses = await Promise.all(
        admins.flatMap((by) => admins.filter((one) => one !== by).map((one) => demote(one, shop, by))),
      );
      expect(await countAdmins(shop)).toBe(1);
      expect(responses.every(({ status }) => [200, 403, 409].includes(status))).toBe(true);
    }
  });
});
