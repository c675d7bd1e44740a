import { join } from 'node:path';
import { makeDataDir } from '../data-dir.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { runWithSettings } from './run.ts';

/** The folder of the demo pictures, made by the build. */
export const pictures = join(import.meta.dirname, '../../dist/pictures');

/** As `runWithSettings`, on the shop's database, which is brought to this release; beside a server or without one. */
export async function runCommand(
  work: (database: Database, args: string[]) => Promise<string>,
): Promise<void> {
  await runWithSettings(async (config, args) => {
    makeDataDir(config);
    const database = await openDatabase(config.database);
    try {
      return await work(database, args);
    } finally {
      await database.close();
    }
  });
}
