import { ShopError } from '../../../contract/errors.ts';
import { seedCatalogue } from '../../../seed/seed.ts';
import { announceChange } from '../../database/changes.ts';
import { runDatabaseCommand } from './command.ts';

/** `npm run seed`: adds the demo catalogue, unless it was added to this database before. */
await runDatabaseCommand(async (database, args) => {
  if (args.length > 0) throw new ShopError('invalid', 'This command has no arguments: npm run seed');
  const admin = await database.db
    .selectFrom('user')
    .select('id')
    .where('role', '=', 'admin')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const added = await seedCatalogue(database, admin?.id ?? null);
  if (!added) return 'The demo catalogue had already been added: nothing was changed.';
  await announceChange(database);
  return 'The demo catalogue was added.';
});
