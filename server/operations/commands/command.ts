import { existsSync } from 'node:fs';
import { z } from 'zod';
import { ShopError } from '../../../contract/errors.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { makeDataDir } from '../../database/data-dir.ts';
import { type Database, openDatabase } from '../../database/database.ts';
import { codeOf, toOperatorMessage } from '../../database/errors.ts';

/** Runs a command with the settings and its arguments, and prints its result, or a one-sentence error with exit code 1. */
export async function runCommand(work: (config: Config, args: string[]) => Promise<string>): Promise<void> {
  // The reader may close the pipe early, as in npm run doctor | head.
  process.stdout.on('error', (error) => {
    if (codeOf(error) !== 'EPIPE') throw error;
    process.exit();
  });
  try {
    process.umask(0o077);
    process.stdout.write(`${await work(readConfig(), process.argv.slice(2))}\n`);
  } catch (error) {
    process.stderr.write(`${toOperatorMessage(error)}\n`);
    process.exitCode = 1;
  }
}

/** Like `runCommand`, with the shop's database, which it migrates to this release. A server may be running. */
export const runDatabaseCommand = (
  work: (database: Database, args: string[], config: Config) => Promise<string>,
) =>
  runCommand(async (config, args) => {
    const place = config.database;
    const created = 'file' in place && !existsSync(place.file) ? place.file : undefined;
    makeDataDir(config);
    const database = await openDatabase(place);
    // Without this hint, a user who forgot DATA_DIR would take the new shop for the existing one.
    const hint = created ? `\nThis command has created a new shop in ${created}.` : '';
    try {
      return (await work(database, args, config)) + hint;
    } catch (error) {
      if (error instanceof ShopError) throw new ShopError(error.code, error.message + hint, { cause: error });
      throw error;
    } finally {
      await database.close();
    }
  });

/** A mistyped option must not become a file name. */
export const fileArgument = z.string().regex(/^[^-]/);

/** Returns the command's only argument. Throws the usage if it is invalid, missing or not the only one. */
export function readArgument(args: string[], field: z.ZodType<string>, usage: string): string {
  const { data } = z.tuple([field]).safeParse(args);
  if (!data) throw new ShopError('invalid', usage);
  return data[0];
}
