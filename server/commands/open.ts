import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { makeDataDir } from '../data-dir.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { tell } from '../errors.ts';

/** The folder of the demo pictures, made by the build. */
export const pictures = join(import.meta.dirname, '../../dist/pictures');

/**
 * Runs a command on the shop's database, beside a server or without one, and prints what it says. What it
 * cannot do it says in one sentence, with exit code 1.
 */
export async function runCommand(
  work: (database: Database, args: string[]) => Promise<string>,
): Promise<void> {
  try {
    process.umask(0o077);
    const config = readConfig();
    makeDataDir(config);
    const database = await openDatabase(config.database);
    try {
      process.stdout.write(`${await work(database, process.argv.slice(2))}\n`);
    } finally {
      await database.close();
    }
  } catch (error) {
    process.stderr.write(`${tell(error)}\n`);
    process.exitCode = 1;
  }
}
