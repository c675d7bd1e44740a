import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { ShopError } from '../../../contract/errors.ts';
import { codeOf } from '../../database/errors.ts';
import { describeUnknownMigration, findUnknownMigration } from '../../database/migrate.ts';
import {
  type BackupCell,
  type BackupHead,
  type BackupTable,
  endLine,
  formatVersion,
  getBatchSize,
  headLine,
  isFileError,
  tableLine,
} from './format.ts';

/** Some rows of a table. Even an empty table has one batch. */
type Batch = { head: BackupHead; table: BackupTable; rows: BackupCell[][] };

/** Longer than any row. A line without an end must not exhaust memory. */
const maxLineBytes = 64 * 1024 * 1024;

/**
 * Reads a backup in batches. Throws if the file is damaged, or of a version that this release cannot read. It may throw even after
 * the last row, so callers must be able to undo.
 */
export async function* readBackup(file: string): AsyncGenerator<Batch> {
  const hash = createHash('sha256');
  let head: BackupHead | undefined;
  let batch: Batch | undefined;
  let isComplete = false;
  try {
    for await (const line of readLines(file)) {
      const value: unknown = JSON.parse(line.toString());
      if (isComplete) throw new Error('There is data after the checksum.');
      if (!head) {
        head = headLine.parse(value);
        if (head.format > formatVersion)
          throw new ShopError(
            'conflict',
            `${file} was made by a newer release (format ${head.format}): restore it with that release.`,
          );
      } else if (Array.isArray(value)) {
        if (batch && batch.rows.length === getBatchSize(batch.table)) {
          yield batch;
          batch = { ...batch, rows: [] };
        }
        batch?.rows.push(value);
      } else if (typeof value === 'object' && value && 'table' in value) {
        if (batch) yield batch;
        const table = tableLine.parse(value);
        batch = { head, table, rows: [] };
      } else {
        if (endLine.parse(value).sha256 !== hash.digest('hex'))
          throw new Error('The checksum does not match.');
        // Checked after the checksum, because a damaged file may look like another release's.
        const unknown = findUnknownMigration(head.migrations);
        if (unknown) throw new ShopError('conflict', `${file} ${describeUnknownMigration(unknown)}.`);
        if (batch) yield batch;
        isComplete = true;
        continue;
      }
      hash.update(line);
    }
    if (!isComplete) throw new Error('The checksum is missing.');
  } catch (cause) {
    if (cause instanceof ShopError) throw cause;
    if (isFileError(cause))
      throw new ShopError('bad_setting', `${file} cannot be read (${cause.code}).`, { cause });
    // If the file was cut within its first block, not even the head can be read.
    const isDamaged = head || (codeOf(cause) !== '' && (await isZstd(file)));
    const reason = isDamaged ? 'is damaged or incomplete' : 'is not a backup of this shop';
    throw new ShopError('invalid', `${file} ${reason}: nothing was restored.`, { cause });
  }
}

/** Whether a file begins as a zstd frame does. */
async function isZstd(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer } = await handle.read({ buffer: Buffer.alloc(4) });
  return buffer.readUInt32LE() === 0xfd2fb528;
}

/** Yields the lines of a compressed file, each with its newline. */
async function* readLines(file: string): AsyncGenerator<Buffer> {
  // Collecting the default, smaller chunks doubles the time.
  const text = createZstdDecompress({ chunkSize: 256 * 1024 });
  // Errors of both streams are thrown by iterating over `text`.
  pipeline(createReadStream(file), text, () => undefined);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of text) {
    const piece = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let index = piece.indexOf('\n', rest.length); index >= 0; index = piece.indexOf('\n', from)) {
      yield piece.subarray(from, index + 1);
      from = index + 1;
    }
    rest = piece.subarray(from);
    if (rest.length > maxLineBytes) throw new Error('A line is too long.');
  }
  if (rest.length > 0) throw new Error('The last line has no newline.');
}
