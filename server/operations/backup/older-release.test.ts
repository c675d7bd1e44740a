import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configFor, readBackupLines, writeBackupLines } from '../../../tests/support/backups.ts';
import { engines, makeDatabase, makeFolder } from '../../../tests/support/database.ts';
import { startShop } from '../../../tests/support/shop.ts';
import type { DatabaseLocation } from '../../config/config.ts';
import { connect } from '../../database/connect.ts';
import { openDatabase } from '../../database/database.ts';
import { listPending, migrateWithin } from '../../database/migrate.ts';
import type { Schema } from '../../database/schema.ts';
import { restoreBackup } from './restore.ts';
import { writeBackup } from './write-backup.ts';

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A shop of an earlier release, before the audit log. */
async function makeOldShop(place: DatabaseLocation): Promise<void> {
  const { db, engine } = connect<Schema>(place);
  await db.transaction().execute(async (tx) => {
    await migrateWithin(tx, engine, ['001-identity', '002-shop', '003-indexes']);
    const setting = [
      { name: 'mode', value: 'sandbox' },
      { name: 'shop id', value: 'old_shop' },
      { name: 'demo planted', value: 'yes' },
    ];
    await tx.insertInto('setting').values(setting).execute();
    const texts = { name: 'Pivot Gauge', image: '/images/none-960.webp', description: '' };
    const product = { ...texts, id: 'gauge', price: 1250, minimum: 1, available: 10 };
    await tx
      .insertInto('product')
      .values({ ...product, email: 'ada@example.com', created_at: 1 })
      .execute();
  });
  await db.destroy();
}

test.each(engines)(
  'a backup of an older release is restored and migrated, even into a database with current tables, on %s',
  async (engine) => {
    const file = join(folder, 'backup');
    const [old, fresh] = [await makeDatabase(engine), await makeDatabase(engine)];
    await makeOldShop(old.place);
    await writeBackup(configFor(old.place), file, new AbortController().signal);
    // Earlier releases backed up the stand-ins' tables, which are ignored.
    const table = { table: 'stripe_object', schema: 'sandbox', columns: { id: 'text' }, key: ['id'] };
    writeBackupLines(file, `${readBackupLines(file)}${JSON.stringify(table)}\n["pi_old"]\n`);
    // Like a first start.
    await (await openDatabase(fresh.place)).close();
    await restoreBackup(configFor(fresh.place), file);
    const { db } = connect<Schema>(fresh.place);
    expect(await listPending(db)).toEqual([]);
    await db.destroy();
    {
      await using shop = await startShop({ place: fresh.place });
      const products = await shop.client().call('listProducts', {});
      expect(products).toMatchObject([{ _id: 'gauge', name: 'Pivot Gauge', price: 12.5, a_quantity: 10 }]);
      const ada = await shop.admin();
      await shop.client(ada).call('deleteProduct', { params: { id: 'gauge' } });
      expect(await shop.client(ada).call('listAudit', {})).toMatchObject([{ of: 'gauge' }]);
    }
    await old.drop();
    await fresh.drop();
  },
);
