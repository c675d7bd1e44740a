import { createHash } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { connect } from '../../database/connect.ts';
import type { Schema } from '../../database/schema.ts';
import { upsertLastTimes } from '../health/queries.ts';
import { type BackupHead, formatVersion } from './format.ts';
import { readRows } from './rows.ts';
import { type Snapshot, withSnapshot } from './snapshot.ts';
import { addCount, type Counts } from './tables.ts';
import { writeCompressed } from './written-file.ts';

/** Writes a backup of the configured shop and returns its row counts. */
export async function writeBackup(config: Config, file: string, signal: AbortSignal): Promise<Counts> {
  const counts: Counts = new Map();
  const made = new Date();
  await withSnapshot(config, (snapshot) => writeCompressed(file, writeLines(snapshot, made, counts), signal));
  await recordTime(config, made);
  return counts;
}

/** Records the time for the Health page. A failure, as in a database of an earlier release, is ignored. */
async function recordTime({ database }: Config, made: Date): Promise<void> {
  const { db } = connect<Schema>(database);
  await upsertLastTimes(db, new Map([['backup', made.getTime()]])).catch(() => undefined);
  await db.destroy();
}

async function* writeLines(
  { db, migrations, tables }: Snapshot,
  made: Date,
  counts: Counts,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const hashed = (lines: string) => {
    hash.update(lines);
    return lines;
  };
  const head: BackupHead = {
    backup: 'hand-tools-shop',
    format: formatVersion,
    made: made.toISOString(),
    migrations,
  };
  yield hashed(toLine(head));
  for (const table of tables) {
    yield hashed(toLine(table));
    for await (const batch of readRows(db, table)) {
      addCount(counts, table.table, batch.length);
      yield hashed(batch.map(toLine).join(''));
    }
  }
  yield toLine({ sha256: hash.digest('hex') });
}

const toLine = (value: unknown) => `${JSON.stringify(value)}\n`;
