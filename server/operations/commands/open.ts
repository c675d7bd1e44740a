import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataDir } from '../../database/data-dir.ts';
import { type Database, openDatabase } from '../../database/database.ts';
import { runCommand } from './run.ts';

/** Written by the build. */
export const demoImagesDir = join(import.meta.dirname, '../../../dist/pictures');

/** Like `runCommand`, with the shop's database, which it migrates to this release. A server may be running. */
export async function runDatabaseCommand(
  work: (database: Database, args: string[]) => Promise<string>,
): Promise<void> {
  await runCommand(async (config, args) => {
    const place = config.database;
    const created = 'file' in place && !existsSync(place.file) ? place.file : undefined;
    makeDataDir(config);
    const database = await openDatabase(place);
    try {
      const result = await work(database, args);
      // Without this, a user who forgot DATA_DIR would think that it was the existing shop.
      return created ? `${result}\nThis command has created a new shop in ${created}.` : result;
    } finally {
      await database.close();
    }
  });
}
