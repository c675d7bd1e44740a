import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { startShop } from '../../../tests/support/shop.ts';

const home = { name: 'Tom', line1: '1 Mill Lane', city: 'Leeds', postcode: 'LS1 4AP', country: 'GB' };

describe.each(engines)('the address book on %s', (engine) => {
  test('belongs to its user, who adds, changes and removes addresses', async () => {
    await using shop = await startShop({ engine });
    const [tom, nora] = [shop.client(await shop.signUp('Tom')), shop.client(await shop.signUp('Nora'))];
    const { insertedId: id } = await tom.call('addAddress', { body: home });
    const { insertedId: second } = await tom.call('addAddress', { body: { ...home, line1: '2 Mill Lane' } });
    expect((await tom.call('listAddresses', {})).map(({ _id }) => _id)).toEqual([second, id]);
    const change = { params: { id }, body: { ...home, phone: '0113 1' } };
    expect(await tom.call('changeAddress', change)).toEqual({ modifiedCount: 1 });
    expect(await tom.call('changeAddress', change)).toEqual({ modifiedCount: 0 });
    expect(await catchProblem(nora.call('changeAddress', change))).toMatchObject({ status: 404 });
    expect(await catchProblem(nora.call('removeAddress', { params: { id } }))).toMatchObject({ status: 404 });
    expect(await nora.call('listAddresses', {})).toEqual([]);
    expect(await tom.call('removeAddress', { params: { id: second } })).toEqual({ deletedCount: 1 });
    expect(await tom.call('listAddresses', {})).toMatchObject([{ ...home, phone: '0113 1' }]);
  });

  test('never has more than ten addresses, even if many are added at once', async () => {
    await using shop = await startShop({ engine });
    const tom = shop.client(await shop.signUp('Tom'));
    const added = await Promise.allSettled(
      Array.from({ length: 14 }, (_, index) =>
        tom.call('addAddress', { body: { ...home, line1: `${index} Mill Lane` } }),
      ),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(await tom.call('listAddresses', {})).toHaveLength(10);
    expect(await catchProblem(tom.call('addAddress', { body: home }))).toMatchObject({
      status: 409,
      type: 'urn:problem:address_book_full',
    });
  });
});
