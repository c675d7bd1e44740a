import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataDir } from '../../database/data-dir.ts';
import { type Database, openDatabase } from '../../database/database.ts';
import { runCommand } from './run.ts';

/** The folder of the demo pictures, made by the build. */
export const demoImagesDir = join(import.meta.dirname, '../../../dist/pictures');

/** As `runWithSettings`, on the shop's database, which is brought to this release; beside a server or without one. */
export async function runDatabaseCommand(
  work: (database: Database, args: string[]) => Promise<string>,
): Promise<void> {
  await runCommand(async (config, args) => {
    const place = config.database;
    const made = 'file' in place && !existsSync(place.file) ? place.file : undefined;
    makeDataDir(config);
    const database = await openDatabase(place);
    try {
      const said = await work(database, args);
      // Whoever forgot DATA_DIR would take it for the shop's.
      return made ? `${said}\nThis is a new shop, in ${made}, which this command has made.` : said;
    } finally {
      await database.close();
    }
  });
}
