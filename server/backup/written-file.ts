import { randomUUID } from 'node:crypto';
import { closeSync, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { ShopError } from '../errors.ts';

/**
 * Writes a new file, packed, for its owner alone. It has its name only when it is whole and on the disk; a process that
 * is killed leaves `FILE.….part`. Throws a sentence where it cannot be written or is there already.
 */
export async function writePacked(
  file: string,
  content: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  refuseExisting(file);
  const part = `${file}.${randomUUID()}.part`;
  try {
    // `flush`: on the disk before it is closed.
    const to = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(content, createZstdCompress(), to, { signal });
    refuseExisting(file);
    renameSync(part, file);
    flushFolder(dirname(file));
  } catch (error) {
    if (existsSync(part)) rmSync(part);
    if (signal.aborted) throw new ShopError('unavailable', `The backup was stopped: ${file} was not made.`);
    throw isOfFile(error)
      ? new ShopError('bad_setting', `${file} cannot be written (${error.code}): no backup was made.`, {
          cause: error,
        })
      : error;
  }
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new ShopError('conflict', `${file} is there already: name a file that is not.`);
}

/** So that the new name, too, outlives a power cut. Windows opens no folder. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** An error of the file system's, not of a database's driver. */
export function isOfFile(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}
