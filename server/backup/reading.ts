import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { ShopError } from '../errors.ts';
import { type Cell, end, format, type Head, head, table, toTable } from './format.ts';
import type { Table } from './introspection.ts';
import { isOfFile } from './written-file.ts';

/** What stands in a backup, in its order; `size` is of the row's line, in bytes. */
type Item = { head: Head } | { table: Table } | { row: Cell[]; size: number };

/** Longer than any row: what has no end of line by then is no backup, and is not to fill the memory. */
const longest = 64 * 1024 * 1024;

/**
 * Reads a backup from its head to its end. Throws a sentence where it is none, was changed or cut off, or is of another
 * format. That may come at its very end: whoever makes something of it must be able to undo it.
 */
export async function* readBackup(file: string): AsyncGenerator<Item> {
  const hash = createHash('sha256');
  let state: 'before' | 'within' | 'over' = 'before';
  try {
    for await (const line of readLines(file)) {
      const value: unknown = JSON.parse(line.toString());
      if (state === 'over') throw new Error('Something follows the end.');
      if (state === 'before') {
        yield { head: readHead(file, value) };
        state = 'within';
      } else if (Array.isArray(value)) {
        yield { row: value, size: line.length };
      } else if (typeof value === 'object' && value && 'table' in value) {
        yield { table: toTable(table.parse(value)) };
      } else {
        if (end.parse(value).sha256 !== hash.digest('hex')) throw new Error('It was changed.');
        state = 'over';
        continue;
      }
      hash.update(line);
    }
    if (state !== 'over') throw new Error('It has no end.');
  } catch (cause) {
    throw cause instanceof ShopError ? cause : explain(file, state, cause);
  }
}

function readHead(file: string, value: unknown): Head {
  const read = head.parse(value);
  if (read.format > format) throw ofNewerRelease(file, `format ${read.format}`);
  return read;
}

export function ofNewerRelease(file: string, what: string): ShopError {
  return new ShopError(
    'conflict',
    `${file} was made by a newer release (${what}): restore it with that one.`,
  );
}

function explain(file: string, state: string, cause: unknown): ShopError {
  if (isOfFile(cause))
    return new ShopError('bad_setting', `${file} cannot be read (${cause.code}).`, { cause });
  const what = state === 'before' ? 'is not a backup of this shop' : 'is damaged or was cut off';
  return new ShopError('invalid', `${file} ${what}: nothing was restored.`, { cause });
}

/** The lines of a packed file, each with its end. */
async function* readLines(file: string): AsyncGenerator<Buffer> {
  // By default many small pieces come, and clearing them away takes as long as all the rest.
  const plain = createZstdDecompress({ chunkSize: 256 * 1024 });
  // What goes wrong comes out of `plain`.
  pipeline(createReadStream(file), plain, () => undefined);
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of plain) {
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
    if (length > longest) throw new Error('A line has no end.');
  }
  if (length > 0) throw new Error('The last line has no end.');
}
