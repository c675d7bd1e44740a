import { randomUUID } from 'node:crypto';
import { closeSync, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { ShopError } from '../../../contract/errors.ts';

/**
 * Writes a new compressed file that only its owner can read. Renames it from `FILE.….part` once it is complete and synced
 * to disk. Throws if the file exists or cannot be written.
 */
export async function writeCompressed(
  file: string,
  content: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  requireNewFile(file);
  const part = `${file}.${randomUUID()}.part`;
  try {
    const to = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(content, createZstdCompress(), to, { signal });
    requireNewFile(file);
    renameSync(part, file);
    syncFolder(dirname(file));
  } catch (error) {
    if (existsSync(part)) rmSync(part);
    if (signal.aborted)
      throw new ShopError('unavailable', `The backup was stopped: ${file} was not written.`);
    throw isFileError(error)
      ? new ShopError('bad_setting', `${file} cannot be written (${error.code}): no backup was made.`, {
          cause: error,
        })
      : error;
  }
}

function requireNewFile(file: string): void {
  if (existsSync(file)) throw new ShopError('conflict', `${file} already exists: choose a new file name.`);
}

/** Syncs the new name to disk. Windows cannot open folders. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** An error from the file system, not from a database driver. */
export function isFileError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}
