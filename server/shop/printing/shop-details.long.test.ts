import { describe, expect, test } from 'vitest';
import type { ShopDetails, ShopDetailsEdit } from '../../../contract/admin/shop-details.ts';
import { engines, makeDatabase } from '../../../tests/support/database.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const settings = { SHOP_NAME: 'Fusee & Sons', SHOP_ADDRESS: '1 Mill Lane\\nYork' };
const environment = { name: 'Fusee & Sons', address: '1 Mill Lane\nYork', taxId: '' };
const nothingPromised = {
  delivery: '',
  deliveryShown: false,
  returns: '',
  returnsShown: false,
  returnDays: null,
  guarantee: '',
  guaranteeShown: false,
};
const fromSettings = { ...environment, ...nothingPromised, synonyms: '' };
const entered = {
  name: 'Fusee Ltd',
  address: '2 Mill Lane\nYork',
  taxId: 'VAT GB 1',
  ...nothingPromised,
  delivery: 'Sent within two days',
  deliveryShown: true,
  returns: 'Send it back',
  returnDays: 30,
  synonyms: 'eyeglass = loupe',
};

async function open(shop: TestShop) {
  const admin = await shop.admin();
  const client = shop.client(admin);
  return {
    admin,
    client,
    read: () => client.call('getShopDetails', {}),
    save: (body: ShopDetailsEdit) => client.call('saveShopDetails', { body }),
    async listChanges() {
      const entries = await client.call('listAudit', { query: { target: 'shop' } });
      return entries.map(({ action, actor, name, details }) => ({ action, actor, name, details }));
    },
  };
}

describe.each(engines)('on %s', (engine) => {
  test("an admin's entries replace the settings, field by field, and the audit log has both values", async () => {
    await using shop = await startShop({ engine, settings });
    const { admin, read, save, listChanges } = await open(shop);
    expect(await read()).toEqual({ ...fromSettings, version: 0, environment });
    const edit = { ...fromSettings, taxId: ' VAT GB 1 ', version: 0 };
    expect(await save(edit)).toEqual({ modifiedCount: 1, version: 1 });
    expect(await save({ ...entered, address: '2 Mill Lane\r\nYork', version: 1 })).toEqual({
      modifiedCount: 1,
      version: 2,
    });
    expect(await read()).toEqual({ ...entered, version: 2, environment });
    const entry = { action: 'editShopDetails', actor: admin.email };
    const later = `name: Fusee Ltd (was Fusee & Sons)\naddress: 2 Mill Lane ↵ York (was 1 Mill Lane ↵ York)\ndelivery: Sent within two days (was none)\ndeliveryShown: yes (was no)\nreturns: Send it back (was none)\nreturnDays: 30 (was none)\nsynonyms: eyeglass = loupe (was none)`;
    expect(await listChanges()).toEqual([
      { ...entry, name: 'Fusee Ltd', details: later },
      { ...entry, name: 'Fusee & Sons', details: 'taxId: VAT GB 1 (was none)' },
    ]);
  });

  test('an unchanged field follows its setting, and a cleared one stays empty', async () => {
    const { place, drop } = await makeDatabase(engine, 'migrated');
    try {
      {
        await using shop = await startShop({ engine, place, settings });
        const { save } = await open(shop);
        await save({ ...fromSettings, address: '', version: 0 });
      }
      await using shop = await startShop({
        engine,
        place,
        settings: { SHOP_NAME: 'Fusee Brothers', SHOP_ADDRESS: '3 Mill Lane' },
      });
      const { read, save } = await open(shop);
      expect(await read()).toMatchObject({ name: 'Fusee Brothers', address: '', version: 1 });
      // The setting's value again: the field follows the setting from now on.
      await save({ ...fromSettings, name: 'Fusee Brothers', address: '3 Mill Lane', version: 1 });
      expect(await read()).toMatchObject({ address: '3 Mill Lane', version: 2 });
    } finally {
      await drop();
    }
  });

  test('a stale edit changes nothing and returns the current details; a repeated one succeeds', async () => {
    await using shop = await startShop({ engine, settings });
    const { read, save, listChanges } = await open(shop);
    await save({ ...entered, version: 0 });
    expect(await save({ ...entered, version: 0 })).toEqual({ modifiedCount: 0, version: 1 });
    const stale = { ...entered, name: 'Verge', version: 0 };
    const { status, type, data } = await catchProblem(save(stale));
    expect([status, type, data]).toEqual([409, 'urn:problem:edit_conflict', { ...entered, version: 1 }]);
    expect(await read()).toMatchObject({ ...entered, version: 1 });
    expect(await listChanges()).toHaveLength(1);
  });

  test.each([0, 1])('of concurrent edits of version %i, exactly one is saved', async (version) => {
    await using shop = await startShop({ engine });
    const { read, save, listChanges } = await open(shop);
    if (version === 1) await save({ ...entered, version: 0 });
    const names = ['Anchor', 'Lever', 'Verge', 'Cylinder', 'Detent'];
    const results = await Promise.allSettled(names.map((name) => save({ ...entered, name, version })));
    const winners = names.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    expect(await read()).toMatchObject({ name: winners[0], version: version + 1 });
    expect(await listChanges()).toHaveLength(version + 1);
  });

  test('rejects a missing name, text that is too long or unprintable, several lines except in the address, and a promise without text', async () => {
    await using shop = await startShop({ engine });
    const { admin, read } = await open(shop);
    const reject = async (wrong: Partial<ShopDetails>) => {
      const options = { body: { version: 0, ...wrong }, headers: tokenHeaders(admin) };
      const { status, errors } = await readProblem(await sendCall(shop, 'saveShopDetails', options));
      return { status, errors };
    };
    expect(await reject({ name: ' ', address: 'x'.repeat(501), taxId: 'a\0' })).toEqual({
      status: 422,
      errors: [
        { field: 'name', message: 'Name is Required' },
        { field: 'address', message: 'Address must be 500 characters or shorter' },
        { field: 'taxId', message: 'Tax number has characters that cannot be printed' },
      ],
    });
    const lines = { name: 'Fusee\r\nBcc: eve@example.com', address: '1 Mill Lane\nYork', taxId: 'a\u2028b' };
    expect(await reject(lines)).toEqual({
      status: 422,
      errors: [
        { field: 'name', message: 'Name must be a single line' },
        { field: 'taxId', message: 'Tax number must be a single line' },
      ],
    });
    for (const synonyms of ['loupe', '= loupe', 'loupe =', 'eye glass = loupe', 'a = b\nc = d = e'])
      expect(await reject({ ...entered, synonyms })).toEqual({
        status: 422,
        errors: [{ field: 'synonyms', message: 'Search synonyms must be lines such as “magnifier = loupe”' }],
      });
    expect(await reject({ ...entered, delivery: ' ', guaranteeShown: true, returnDays: 0 })).toEqual({
      status: 422,
      errors: [
        { field: 'returnDays', message: 'Days for returns must be at least 1' },
        { field: 'delivery', message: 'Write the delivery promise before you show it' },
        { field: 'guarantee', message: 'Write the guarantee before you show it' },
      ],
    });
    expect(await reject({ ...entered, returns: 'One\nTwo', guarantee: 'x'.repeat(121) })).toEqual({
      status: 422,
      errors: [
        { field: 'returns', message: 'Returns must be a single line' },
        { field: 'guarantee', message: 'Guarantee must be 120 characters or shorter' },
      ],
    });
    expect(await read()).toMatchObject({ version: 0 });
  });
});

test('every process sees a change immediately', async () => {
  const { place, drop } = await makeDatabase('postgres');
  try {
    const options = { engine: 'postgres' as const, place, settings: { AUTH_SECRET: 'x'.repeat(32) } };
    await using one = await startShop(options);
    await using other = await startShop(options);
    const admin = await one.admin();
    const read = () => other.client(admin).call('getShopDetails', {});
    expect(await read()).toMatchObject({ version: 0 });
    await one.client(admin).call('saveShopDetails', { body: { ...entered, version: 0 } });
    expect(await read()).toMatchObject({ ...entered, version: 1 });
  } finally {
    await drop();
  }
});
