import { ShopError } from '../../../contract/errors.ts';
import { seedCatalogue } from '../../../seed/seed.ts';
import { announceChange } from '../../database/changes.ts';
import { demoImagesDir, runDatabaseCommand } from './open.ts';

/** `npm run seed`: the demo catalogue for a shop that begins empty. */
await runDatabaseCommand(async (database, args) => {
  if (args.length > 0) throw new ShopError('invalid', 'The seed takes nothing behind it: npm run seed');
  const admin = await database.db
    .selectFrom('user')
    .select('email')
    .where('role', '=', 'admin')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const added = await seedCatalogue(database, demoImagesDir, admin?.email ?? '');
  if (!added) return 'The demo catalogue was added before: nothing was changed.';
  await announceChange(database);
  return 'The demo catalogue was added.';
});
