import { describe, expect, test } from 'vitest';
import { engines } from '../support/database.ts';
import { insertOrders } from '../support/order-rows.ts';
import { shipOrder } from '../support/payments.ts';
import { startShop } from '../support/shop.ts';

/** Text that looks empty, typed into a required field. */
const emptyLooking = [
  '\u3164',
  '\u2800 \u2800',
  '\u200b\u200d\ufeff',
  '\u00ad',
  '\u2066\u2069',
  '\u115f\u1160',
];

describe.each(engines)('on %s', (engine) => {
  test('a required field rejects text that looks empty', async () => {
    await using shop = await startShop({ engine });
    const admin = await shop.admin();
    for (const name of emptyLooking) {
      const signUp = await shop.send('/api/auth/sign-up/email', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, email: 'new@example.com', password: 'clockwork' }),
      });
      expect([name, signUp.status, await signUp.text()]).toEqual([
        name,
        expect.toSatisfy((status) => status === 400 || status === 422),
        expect.stringContaining('Name is Required'),
      ]);
      await expect(shop.addProduct({ name })).rejects.toMatchObject({
        problem: { status: 422, detail: 'Name is Required' },
      });
      await expect(shop.addProduct({ description: name })).rejects.toMatchObject({
        problem: { status: 422, detail: 'Description is Required' },
      });
      const profile = { address: name, phone: '1', education: 'x', linkedIn: 'in/ada' };
      await expect(
        shop.client(admin).call('saveUser', { params: { email: admin.email }, body: profile }),
      ).rejects.toMatchObject({ problem: { status: 422, detail: 'Address is Required' } });
    }
  });

  test('invisible characters are neither stored nor searched', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin('A\u00adda\u3164Love\u200blace'));
    const product = await shop.addProduct({
      name: '\u202aPin\u00ad vise 👩‍🔧\u200d',
      category: 'Hol\u00adding\u2060',
    });
    expect([product.name, product.category]).toEqual(['Pin vise 👩‍🔧', 'Holding']);
    const found = async (query: { q?: string; category?: string }) =>
      (await admin.call('listProducts', { query })).map(({ name }) => name);
    for (const query of [{ q: 'v\u00adi\u200bse' }, { q: '\u3164pin\u2800' }, { category: '\u200bHolding' }])
      expect([query, await found(query)]).toEqual([query, [product.name]]);
    for (const q of ['love\u00adlace', '\u200bada love'])
      expect((await admin.call('listUsers', { query: { q } })).map(({ name }) => name)).toEqual([
        'Ada Lovelace',
      ]);
  });

  test('direction controls and halves of surrogate pairs are stored nowhere, whether a field has one line or several', async () => {
    await using shop = await startShop({ engine });
    const hide = (text: string) => text.replaceAll('·', '\u202e\ud83d\u2066\u200f\udd27\u202c');
    const person = await shop.admin(hide('A·da·'));
    const admin = shop.client(person);
    const { email } = person;
    const typed = { address: hide('·1 Main· Street'), phone: hide('0·30'), education: hide('Cl·ocks') };
    const profile = { ...typed, linkedIn: hide('in/·ada') };
    await admin.call('saveUser', { params: { email }, body: profile });
    const [user] = await shop.database.db.selectFrom('user').selectAll().execute();
    expect(user).toMatchObject({ name: 'Ada', address: '1 Main Street', phone: '030', education: 'Clocks' });
    expect(user?.linkedIn).toBe('in/ada');

    const lines = hide('·First· line\r\n  second· 🔧 line·');
    const stored = 'First line\r\n  second 🔧 line';
    const product = await shop.addProduct({ description: lines });
    expect(product.description).toBe(stored);
    const params = { id: product._id };
    await admin.call('adjustStock', { params, body: { change: 1, reason: 'other', note: lines } });
    const [change] = await admin.call('listStock', { query: {} });
    expect(change?.note).toBe(stored);
    await admin.call('addReview', { body: { rating: 5, reviews: lines, img: product.img } });
    const [review] = await admin.call('listReviews', { query: {} });
    expect(review?.reviews).toBe(stored);
    await expect(shop.addProduct({ description: hide('·') })).rejects.toMatchObject({
      problem: { status: 422, detail: 'Description is Required' },
    });
  });

  test('order and tracking numbers may contain invisible characters of the text that they were copied from', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const [id = ''] = await insertOrders(shop, [{ status: 'paid' }]);
    await shipOrder(admin, {
      params: { id },
      body: { orderStatus: 'sipping', trackingNumber: '\u2066RZ\u00ad123456\u200b789GB\u2069' },
    });
    const order = await admin.call('getOrder', { params: { id } });
    expect(order.trackingNumber).toBe('RZ123456789GB');
    for (const q of [`\u200b${order.number.replace('-', '-\u2060')}\ufeff`, 'RZ1234\u00ad56789'])
      expect((await admin.call('listAllOrders', { query: { q } })).map(({ _id }) => _id)).toEqual([id]);
  });

  test('invisible characters in the names and headings of a CSV file are ignored', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const product = await shop.addProduct({ name: 'Pin vise' });
    const csv = '\u200bname\u2060,category\nPin\u00ad vise\u200b,Hold\u00ading\n';
    const file = new Blob([csv], { type: 'text/csv' });
    expect(await admin.call('importProducts', { body: file, query: {} })).toMatchObject({
      update: 1,
      errors: [],
    });
    const { name, category } = await admin.call('getProduct', { params: { id: product._id } });
    expect([name, category]).toEqual(['Pin vise', 'Holding']);
  });
});
