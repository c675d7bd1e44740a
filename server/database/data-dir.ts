import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ShopError } from '../../contract/errors.ts';
import type { Config } from '../config/config.ts';
import { attachPath, codeOf, describeCode, isDamaged, isLocked, withErrorPath } from './errors.ts';

/** Creates DATA_DIR, accessible only to its owner. Throws `bad_setting` with one sentence if it cannot be created or written. */
export function makeDataDir({ dataDir }: Config): void {
  try {
    makeFolder(dataDir);
    const probe = join(dataDir, `probe-${randomUUID()}`);
    try {
      writeFileSync(probe, 'x');
    } finally {
      // On a full disk, the file may have been created without its content.
      rmSync(probe, { force: true });
    }
  } catch (cause) {
    const subject = `DATA_DIR is ${JSON.stringify(dataDir)}, which`;
    throw new ShopError('bad_setting', describeCode(subject, codeOf(cause)), { cause });
  }
}

/** Not `recursive: true`, which never returns below a folder like /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it first.
    if (!existsSync(folder)) throw error;
  }
}

/** Locks DATA_DIR if SQLite is in it, until the returned function is called or the process dies. */
export function lockDataDir(config: Config): () => void {
  makeDataDir(config);
  if (!('file' in config.database)) return () => undefined;
  const file = join(config.dataDir, 'server.lock');
  const lock = withErrorPath(file, () => new DatabaseSync(file));
  try {
    lock.exec('pragma busy_timeout = 0; begin exclusive');
  } catch (cause) {
    lock.close();
    if (isDamaged(cause))
      throw new ShopError('bad_setting', `${file} is damaged: delete it and start again.`, { cause });
    if (!isLocked(cause)) throw attachPath(cause, file);
    const sentence = `DATA_DIR is ${JSON.stringify(config.dataDir)}, but another server runs on it: stop that server, or set another DATA_DIR.`;
    throw new ShopError('bad_setting', sentence, { cause });
  }
  return () => lock.close();
}
