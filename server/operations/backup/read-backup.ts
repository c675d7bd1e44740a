import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { ShopError } from '../../../contract/errors.ts';
import {
  type BackupCell,
  type BackupHead,
  type BackupTable,
  endLine,
  formatVersion,
  headLine,
  tableLine,
} from './format.ts';
import { isFileError } from './written-file.ts';

/** `size` is the length of the row's line in bytes. */
type Item = { head: BackupHead } | { table: BackupTable } | { row: BackupCell[]; size: number };

/** Longer than any row. A line without an end must not exhaust memory. */
const maxLineBytes = 64 * 1024 * 1024;

/**
 * Reads a backup. Throws if the file is not a backup, is damaged, or has a newer format, possibly only after the last
 * row: callers must be able to undo what they did with the rows.
 */
export async function* readBackup(file: string): AsyncGenerator<Item> {
  const hash = createHash('sha256');
  let state: 'head' | 'rows' | 'end' = 'head';
  let isSkipped = false;
  try {
    for await (const line of readLines(file)) {
      const value: unknown = JSON.parse(line.toString());
      if (state === 'end') throw new Error('Something follows the end.');
      if (state === 'head') {
        yield { head: readHead(file, value) };
        state = 'rows';
      } else if (Array.isArray(value)) {
        if (!isSkipped) yield { row: value, size: line.length };
      } else if (typeof value === 'object' && value && 'table' in value) {
        const { schema, ...described } = tableLine.parse(value);
        isSkipped = schema !== undefined;
        if (!isSkipped) yield { table: described };
      } else {
        if (endLine.parse(value).sha256 !== hash.digest('hex'))
          throw new Error('The checksum does not match.');
        state = 'end';
        continue;
      }
      hash.update(line);
    }
    if (state !== 'end') throw new Error('The end is missing.');
  } catch (cause) {
    if (cause instanceof ShopError) throw cause;
    if (isFileError(cause))
      throw new ShopError('bad_setting', `${file} cannot be read (${cause.code}).`, { cause });
    const reason = state === 'head' ? 'is not a backup of this shop' : 'is damaged or incomplete';
    throw new ShopError('invalid', `${file} ${reason}: nothing was restored.`, { cause });
  }
}

function readHead(file: string, value: unknown): BackupHead {
  const head = headLine.parse(value);
  if (head.format > formatVersion) throw newerRelease(file, `format ${head.format}`);
  return head;
}

export function newerRelease(file: string, evidence: string): ShopError {
  return new ShopError(
    'conflict',
    `${file} was made by a newer release (${evidence}): restore it with that release.`,
  );
}

/** Yields the lines of a compressed file, each with its newline. */
async function* readLines(file: string): AsyncGenerator<Buffer> {
  // Collecting the default, smaller chunks doubles the time.
  const text = createZstdDecompress({ chunkSize: 256 * 1024 });
  // Errors of both streams are thrown by iterating over `text`.
  pipeline(createReadStream(file), text, () => undefined);
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of text) {
    const piece: Buffer = chunk;
    let from = 0;
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', from)) {
      yield Buffer.concat([...rest, piece.subarray(from, at + 1)]);
      rest = [];
      length = 0;
      from = at + 1;
    }
    rest.push(piece.subarray(from));
    length += piece.length - from;
    if (length > maxLineBytes) throw new Error('A line is too long.');
  }
  if (length > 0) throw new Error('The last line has no newline.');
}
