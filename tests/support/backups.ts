import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type DatabaseLocation, readConfig } from '../../server/config/config.ts';
import { openDatabase } from '../../server/database/database.ts';
import { makeFolder } from './database.ts';

/** Environment variables of a shop with this database. */
export function settingsFor(place: DatabaseLocation): Record<string, string> {
  return 'file' in place
    ? { DATA_DIR: dirname(place.file) }
    : { DATA_DIR: makeFolder(), DATABASE_URL: place.url };
}

export const configFor = (place: DatabaseLocation) => readConfig(settingsFor(place));

/** The rows of a backup, each prefixed with its table, in the same order for both engines. */
export function listBackupRows(file: string): string[] {
  const rows: string[] = [];
  let table = '';
  for (const line of readBackupLines(file).trimEnd().split('\n').slice(1)) {
    if (line.startsWith('{')) {
      table = line;
      rows.push(table);
    } else rows.push(`${table} ${line}`);
  }
  return rows.sort();
}

/** The decompressed lines of a backup, without the checksum line at the end. */
export function readBackupLines(file: string): string {
  const lines = zstdDecompressSync(readFileSync(file)).toString();
  return lines.slice(0, lines.lastIndexOf('\n', lines.length - 2) + 1);
}

/** Compresses lines into a backup, with a matching checksum line. */
export function writeBackupLines(file: string, lines: string): void {
  const sha256 = createHash('sha256').update(lines).digest('hex');
  writeFileSync(file, zstdCompressSync(`${lines}${JSON.stringify({ sha256 })}\n`));
}

/** Migrates a database and adds images of 1 MB each. */
export async function addPictures(place: DatabaseLocation, megabytes: number): Promise<void> {
  const { transaction, close } = await openDatabase(place);
  await transaction(async (tx) => {
    for (let index = 0; index < megabytes; index++) {
      const image = {
        id: `${index}`,
        hash: `${index}`,
        width: 960,
        type: 'image/webp',
        user_id: null,
        created_at: index,
      };
      await tx
        .insertInto('image')
        .values({ ...image, bytes: randomBytes(1_000_000) })
        .execute();
    }
  });
  await close();
}
