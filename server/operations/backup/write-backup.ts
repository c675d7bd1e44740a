import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import { connect } from '../../database/database.ts';
import type { Schema } from '../../database/schema.ts';
import { upsertLastTimes } from '../health/notes.ts';
import { type BackupHead, formatVersion, isFileError } from './format.ts';
import { type Snapshot, withSnapshot } from './snapshot.ts';
import { addCount, type Counts } from './tables.ts';

/**
 * Writes a backup that only its owner can read. The file gets its name only once it is complete and synced to disk. Throws if a
 * file with this name exists.
 */
export async function writeBackup(config: Config, file: string, signal: AbortSignal): Promise<Counts> {
  const counts: Counts = new Map();
  const made = new Date();
  await withSnapshot(config, (snapshot) => writeCompressed(file, writeLines(snapshot, made, counts), signal));
  await using db = connect<Schema>(config.database).db;
  // The Health page shows this time. In a database of an earlier release, this write fails, which does no harm.
  await upsertLastTimes(db, new Map([['backup', made.getTime()]])).catch(() => undefined);
  return counts;
}

async function* writeLines(
  { migrations, tables, readRows }: Snapshot,
  made: Date,
  counts: Counts,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const toHashedLine = (value: unknown) => {
    const line = toLine(value);
    hash.update(line);
    return line;
  };
  const about = { backup: 'hand-tools-shop', format: formatVersion, made: made.toISOString() } as const;
  yield toHashedLine({ ...about, migrations } satisfies BackupHead);
  for (const table of tables) {
    yield toHashedLine(table);
    for await (const rows of readRows(table)) {
      addCount(counts, table.table, rows.length);
      yield rows.map(toHashedLine).join('');
    }
  }
  yield toLine({ sha256: hash.digest('hex') });
}

const toLine = (value: unknown) => `${JSON.stringify(value)}\n`;

async function writeCompressed(file: string, content: AsyncIterable<string>, signal: AbortSignal) {
  requireNewFile(file);
  const part = `${file}.${randomUUID()}.part`;
  try {
    const to = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(content, createZstdCompress(), to, { signal });
    requireNewFile(file);
    renameSync(part, file);
    // Windows cannot open folders.
    if (process.platform === 'win32') return;
    // Syncs the new name to disk.
    await using folder = await open(dirname(file));
    await folder.sync();
  } catch (cause) {
    if (existsSync(part)) rmSync(part);
    if (signal.aborted)
      throw new ShopError('unavailable', `The backup was stopped: ${file} was not written.`);
    if (!isFileError(cause)) throw cause;
    const sentence = `${file} cannot be written (${cause.code}): no backup was made.`;
    throw new ShopError('bad_setting', sentence, { cause });
  }
}

function requireNewFile(file: string): void {
  if (existsSync(file)) throw new ShopError('conflict', `${file} already exists: choose a new file name.`);
}
