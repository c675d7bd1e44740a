import { createHash } from 'node:crypto';
import type { Config } from '../config.ts';
import { connect } from '../database/connect.ts';
import type { Schema } from '../database/schema.ts';
import { upsertLastTimes } from '../health/queries.ts';
import { type Counts, count } from './counts.ts';
import { format, type Head } from './format.ts';
import { readRows } from './rows.ts';
import { type Snapshot, withSnapshot } from './snapshot.ts';
import { writePacked } from './written-file.ts';

/** Writes a backup of the shop of these settings; `signal` stops it. Throws a sentence where it cannot. */
export async function backUp(config: Config, file: string, signal: AbortSignal): Promise<Counts> {
  const counts: Counts = new Map();
  const made = new Date();
  await withSnapshot(config, (snapshot) => writePacked(file, writeLines(snapshot, made, counts), signal));
  await remember(config, made);
  return counts;
}

/** For the page Health. Where it cannot be written, as into a database of an earlier release, the backup is made all the same. */
async function remember({ database }: Config, made: Date): Promise<void> {
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
  const head: Head = { backup: 'hand-tools-shop', format, made: made.toISOString(), migrations };
  yield hashed(toLine(head));
  for (const table of tables) {
    const { schema, name, columns, key } = table;
    yield hashed(toLine({ table: name, schema, columns, key }));
    for await (const piece of readRows(db, table)) {
      count(counts, table, piece.length);
      yield hashed(piece.map(toLine).join(''));
    }
  }
  yield toLine({ sha256: hash.digest('hex') });
}

const toLine = (value: unknown) => `${JSON.stringify(value)}\n`;
