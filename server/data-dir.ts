import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from './config.ts';
import { ShopError } from './errors.ts';

/** Makes DATA_DIR, for its owner alone. Throws a sentence where that or writing in it is not possible. */
export function makeDataDir({ dataDir }: Config): void {
  try {
    makeFolder(dataDir);
    const probe = join(dataDir, `probe-${randomUUID()}`);
    writeFileSync(probe, 'x');
    rmSync(probe);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new ShopError(
      'bad_setting',
      `DATA_DIR is ${JSON.stringify(dataDir)}, but nothing can be written there (${code}).`,
      { cause },
    );
  }
}

/** Not by `recursive`, which tries for ever below a folder like /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was first.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Takes DATA_DIR for this process alone, where SQLite is in it: by a lock of the operating system on a file
 * beside the database, which ends with the process however that dies. Gives a function that lets go.
 */
export function takeDataDir(config: Config): () => void {
  makeDataDir(config);
  if (!('file' in config.database)) return () => undefined;
  const lock = new DatabaseSync(join(config.dataDir, 'server.lock'));
  try {
    lock.exec('pragma busy_timeout = 0; begin exclusive');
    return () => lock.close();
  } catch (cause) {
    lock.close();
    throw new ShopError(
      'bad_setting',
      `DATA_DIR is ${JSON.stringify(config.dataDir)}, but another server runs on it: stop that one, or set another DATA_DIR.`,
      { cause },
    );
  }
}
