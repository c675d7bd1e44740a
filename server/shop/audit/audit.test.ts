import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { buy, placeOrder, shipOrder } from '../../../tests/support/payments.ts';
import { sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';

describe.concurrent.each(engines)('on %s', (engine) => {
  test('every change by an admin is audited, and nothing else', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom] = [await shop.admin(), await shop.signUp()];
    const before = Date.now();
    const admin = shop.client(ada);
    const product = await shop.addProduct();
    const { img } = product;
    const body = { ...product, name: 'Broach', email: ada.email };
    const broach = { body, idempotencyKey: 'once' };
    const { insertedId } = await admin.call('addProduct', broach);
    const params = { id: insertedId };
    const sipping = { orderStatus: 'sipping' as const };
    const { order } = await buy(shop, tom, product);
    const unpaid = await placeOrder(shop, tom, product);

    await shipOrder(admin, { params: { id: order._id }, body: sipping });
    await admin.call('deleteOrder', { params: { id: unpaid._id } });
    await admin.call('makeAdmin', { params: { email: tom.email } });
    await admin.call('deleteProduct', { params });
    expect((await shop.send(img, { method: 'DELETE' }, ada)).status).toBe(200);

    // None of these is audited: already done, not found, a user's own order, or not allowed.
    expect(await admin.call('addProduct', broach)).toEqual({ insertedId });
    await shipOrder(admin, { params: { id: order._id }, body: sipping });
    await admin.call('makeAdmin', { params: { email: tom.email } });
    expect((await sendCall(shop, 'deleteProduct', { params, headers: tokenHeaders(ada) })).status).toBe(404);
    expect((await shop.send(img, { method: 'DELETE' }, ada)).status).toBe(404);
    const eve = await shop.signUp('Eve');
    expect((await sendCall(shop, 'deleteProduct', { params, headers: tokenHeaders(eve) })).status).toBe(403);
    for (const person of [ada, eve]) {
      const own = await placeOrder(shop, person, product);
      await shop.client(person).call('deleteOrder', { params: { id: own._id } });
    }

    const entries = await admin.call('listAudit', { query: { limit: 6 } });
    expect(entries.map(({ actor, action, target, name }) => [actor, action, target, name])).toEqual([
      [ada.email, 'deletePicture', /\/(\w+)-/.exec(img)?.[1], ''],
      [ada.email, 'deleteProduct', insertedId, 'Broach'],
      [ada.email, 'makeAdmin', tom.email, tom.name],
      [ada.email, 'deleteOrder', unpaid._id, product.name],
      [ada.email, 'shipOrder', order._id, product.name],
      [ada.email, 'addProduct', insertedId, 'Broach'],
    ]);
    for (const { at } of entries) {
      expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(at)).toBeLessThanOrEqual(Date.now());
    }
    // This entry was written when `shop.addProduct` added the product.
    const [oldest, ...more] = await admin.call('listAudit', { query: { after: entries[5]?._id ?? '' } });
    expect([oldest?.action, oldest?.target, more]).toEqual(['addProduct', product._id, []]);
  });

  test('entries say what changed, and can be filtered by admin and by target', async () => {
    await using shop = await startShop({ engine });
    const [ada, bob, tom] = [await shop.admin(), await shop.admin('Bob'), await shop.signUp()];
    const params = { email: tom.email };
    await shop.client(ada).call('makeAdmin', { params });
    await shop.client(bob).call('removeAdmin', { params });
    await shop.client(bob).call('removeAdmin', { params: { email: ada.email } });
    const list = async (query: { actor?: string; target?: string; after?: string }) =>
      (await shop.client(bob).call('listAudit', { query })).map(({ _id, action, target, details }) => {
        return { _id, entry: [action, target, details] };
      });
    const made = ['makeAdmin', tom.email, 'role: admin (was customer)'];
    const removed = ['removeAdmin', tom.email, 'role: customer (was admin)'];
    const removedAda = ['removeAdmin', ada.email, 'role: customer (was admin)'];
    const entries = async (query: Parameters<typeof list>[0]) =>
      (await list(query)).map(({ entry }) => entry);
    expect(await entries({})).toEqual([removedAda, removed, made]);
    expect(await entries({ actor: bob.email })).toEqual([removedAda, removed]);
    expect(await entries({ target: tom.email })).toEqual([removed, made]);
    expect(await entries({ actor: bob.email, target: tom.email })).toEqual([removed]);
    expect(await entries({ actor: 'nobody@example.com' })).toEqual([]);
    const [first = expect.unreachable()] = await list({ actor: bob.email });
    expect(await entries({ actor: bob.email, after: first._id })).toEqual([removed]);

    // Entries are also found by the admin's id, and by the current addresses of the admin and the target.
    const [newest] = await shop.client(bob).call('listAudit', {});
    const { db } = shop.database;
    await db.updateTable('user').set({ email: 'bob@new.example' }).where('email', '=', bob.email).execute();
    await db.updateTable('user').set({ email: 'tom@new.example' }).where('email', '=', tom.email).execute();
    const idOf = ({ _id }: { _id: string }) => _id;
    const all = await shop.client(bob).call('listAudit', {});
    for (const actor of [newest?.actorId ?? '', 'bob@new.example'])
      expect((await list({ actor })).map(idOf)).toEqual(all.slice(0, 2).map(idOf));
    expect(await entries({ target: 'tom@new.example' })).toEqual(
      [removed, made].map(([action, , details]) => [action, 'tom@new.example', details]),
    );
    expect([await entries({ actor: bob.email }), await entries({ target: tom.email })]).toEqual([[], []]);
  });

  test('a line break in a value adds no line to an entry', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const { _id: id } = await shop.addProduct({ description: 'Old.' });
    const forged = 'role: admin (was customer)';
    const description = `New.\n${forged}\r\n${forged}\r${forged}\u2028${forged}\u2029${forged}`;
    await admin.call('editProduct', { params: { id }, body: { version: 1, description } });
    const [entry] = await admin.call('listAudit', { query: { target: id } });
    expect(entry?.details).toBe(`description: New.${` ↵ ${forged}`.repeat(5)} (was Old.)`);
  });

  test('an import of many long texts does not add a long entry', async () => {
    await using shop = await startShop({ engine });
    const ada = await shop.admin();
    const headers = { ...tokenHeaders(ada), 'content-type': 'text/csv' };
    for (const letter of ['a', 'b']) {
      const rows = Array.from({ length: 100 }, (_, index) => `Gauge ${index},1,1,1,${letter.repeat(2000)}`);
      const body = ['name,price,o_quantity,a_quantity,description', ...rows].join('\n');
      expect(await sendCall(shop, 'importProducts', { body, headers })).toMatchObject({ status: 200 });
    }
    const [{ name, details } = expect.unreachable()] = await shop.client(ada).call('listAudit', {});
    expect(name).toBe('0 added, 100 changed');
    expect(details).toMatch(/^Gauge 0, description: b+… \(was a+…\)\nGauge 1, .*…$/s);
    expect(details.length).toBeLessThan(20_100);
  });

  test('the database itself rejects changes to and deletions of audit entries', async () => {
    await using shop = await startShop({ engine });
    await shop.addProduct();
    const { db } = shop.database;
    const read = () => db.selectFrom('audit').selectAll().execute();
    const entries = await read();
    expect(entries).toHaveLength(1);
    const rejection = 'the audit log is append-only';
    await expect(db.updateTable('audit').set({ actor: 'nobody' }).execute()).rejects.toThrow(rejection);
    await expect(db.deleteFrom('audit').execute()).rejects.toThrow(rejection);
    expect(await read()).toEqual(entries);
  });

  test('no kind of insert overwrites an audit entry', async () => {
    await using shop = await startShop({ engine });
    await shop.addProduct();
    const { db } = shop.database;
    const read = () => db.selectFrom('audit').selectAll().execute();
    const [entry = expect.unreachable(), ...more] = await read();
    expect(more).toEqual([]);
    const forged = { ...entry, actor: 'nobody' };
    const rejection = 'the audit log is append-only';
    const upsert = db
      .insertInto('audit')
      .values(forged)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ actor: 'nobody' }));
    await expect(upsert.execute()).rejects.toThrow(rejection);
    if (engine === 'sqlite') {
      await expect(db.insertInto('audit').orReplace().values(forged).execute()).rejects.toThrow(rejection);
      const byRowid = sql`insert or replace into audit (rowid, id, created_at, actor, action, target, name)
        select rowid, 'other', created_at, 'nobody', action, target, name from audit`;
      await expect(byRowid.execute(db)).rejects.toThrow(rejection);
    } else {
      await expect(sql`truncate audit`.execute(db)).rejects.toThrow(rejection);
      await expect(sql`truncate product, audit cascade`.execute(db)).rejects.toThrow(rejection);
    }
    expect(await read()).toEqual([entry]);
  });

  test('a change that cannot be audited is not made', async () => {
    await using shop = await startShop({ engine, allowErrorLogs: true });
    const [ada, bob, tom] = [await shop.admin(), await shop.admin('Bob'), await shop.signUp()];
    const product = await shop.addProduct();
    const { order } = await buy(shop, tom, product);
    const unpaid = await placeOrder(shop, tom, product);
    const { db } = shop.database;
    const read = async () => [
      await db.selectFrom('product').selectAll().execute(),
      await db.selectFrom('order_line').selectAll().orderBy('id').execute(),
      await db.selectFrom('image').select('id').orderBy('id').execute(),
      await db.selectFrom('user').selectAll().orderBy('id').execute(),
      await db.selectFrom('session').select('id').orderBy('id').execute(),
    ];
    const before = await read();
    await sql`alter table audit rename to audit_away`.execute(db);
    const headers = tokenHeaders(ada);
    for (const [name, input] of [
      ['addProduct', { body: { ...product, email: ada.email } }],
      ['deleteProduct', { params: { id: product._id } }],
      ['shipOrder', { params: { id: order._id }, body: { orderStatus: 'sipping' } }],
      ['deleteOrder', { params: { id: unpaid._id } }],
      ['makeAdmin', { params: { email: tom.email } }],
      ['removeAdmin', { params: { email: bob.email } }],
      ['signOutUser', { params: { email: tom.email } }],
    ] as const)
      expect([name, (await sendCall(shop, name, { ...input, headers })).status]).toEqual([name, 500]);
    expect((await shop.send(product.img, { method: 'DELETE' }, ada)).status).toBe(500);
    expect(await read()).toEqual(before);
  });
});
