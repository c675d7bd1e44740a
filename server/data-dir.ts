import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from './config.ts';
import { ShopError } from './errors.ts';

/**
 * Makes DATA_DIR and, for SQLite, takes it for this process alone: a lock of the operating system on a file
 * beside the database, which ends with the process however that dies. Gives a function that lets go.
 */
export function takeDataDir(config: Config): () => void {
  const where = `DATA_DIR is ${JSON.stringify(config.dataDir)}, but`;
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new ShopError('bad_setting', `${where} that folder cannot be made (${codeOf(cause)}).`, { cause });
  }
  const lock = openLock(config, where);
  try {
    // Writes, so that a folder or a disk that takes nothing is found out now.
    lock.exec('pragma busy_timeout = 0; begin exclusive; create table if not exists shop (pid); commit');
    if (!('file' in config.database)) {
      lock.close();
      return () => undefined;
    }
    lock.exec('begin exclusive');
    return () => lock.close();
  } catch (cause) {
    lock.close();
    const busy = cause instanceof Error && /locked|busy/.test(cause.message);
    throw new ShopError(
      'bad_setting',
      busy
        ? `${where} another server runs on it: stop that one, or set another DATA_DIR.`
        : `${where} nothing can be written in it (${cause instanceof Error ? cause.message : codeOf(cause)}).`,
      { cause },
    );
  }
}

function openLock(config: Config, where: string): DatabaseSync {
  try {
    return new DatabaseSync(join(config.dataDir, 'server.lock'));
  } catch (cause) {
    throw new ShopError('bad_setting', `${where} nothing can be written in it.`, { cause });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
