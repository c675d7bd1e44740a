import { plantCatalogue } from '../../seed/plant.ts';
import { pictures, runCommand } from './open.ts';

/** `npm run seed`: the demo catalogue for a shop that begins empty. */
await runCommand(async (database) => {
  const admin = await database.db
    .selectFrom('user')
    .select('email')
    .where('role', '=', 'admin')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return (await plantCatalogue(database, pictures, admin?.email ?? ''))
    ? 'The demo catalogue was added.'
    : 'The demo catalogue was added before: nothing was changed.';
});
