import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readBackupLines, writeBackupLines } from '../../../tests/support/backups.ts';
import { makeFolder } from '../../../tests/support/database.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { readConfig } from '../../config/config.ts';
import { restoreBackup } from './restore.ts';
import { writeBackup } from './write-backup.ts';

let folder: string;
let file: string;
let whole: Buffer;
/** The decompressed backup: all lines but the last, and the last. */
let lines: string;
let end: string;
let dataDir: string;

beforeAll(async () => {
  folder = makeFolder();
  file = join(folder, 'backup');
  await using shop = await startShop();
  await shop.addProduct();
  await writeBackup(shop.config, file, new AbortController().signal);
  whole = readFileSync(file);
  lines = readBackupLines(file);
  end = zstdDecompressSync(whole).toString().slice(lines.length);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  dataDir = join(folder, 'data');
  rmSync(file, { recursive: true, force: true });
});

/** Expects the restore to fail with this message and not to create DATA_DIR. */
async function expectRejected(message: string | RegExp): Promise<void> {
  const restored = restoreBackup(readConfig({ DATA_DIR: dataDir }), file);
  await expect(restored).rejects.toMatchObject({ name: 'ShopError' });
  await expect(restored).rejects.toThrow(message);
  expect(readdirSync(folder)).not.toContain('data');
}

test('restore rejects a file that cannot be read', async () => {
  await expectRejected(`${file} cannot be read (ENOENT).`);
  mkdirSync(file);
  await expectRejected('(EISDIR)');
});

test('restore rejects a file of another kind', async () => {
  const others = ['', 'some text', gzipSync(lines), zstdCompressSync(''), zstdCompressSync('{}\n')];
  for (const other of [...others, zstdCompressSync('null\n[]\n'), zstdCompressSync('text')]) {
    writeFileSync(file, other);
    await expectRejected(`${file} is not a backup of this shop: nothing was restored.`);
  }
});

test('restore rejects an incomplete file', async () => {
  for (const part of [0.2, 0.5, 0.9, 0.999]) {
    writeFileSync(file, whole.subarray(0, Math.floor(whole.length * part)));
    await expectRejected(/is damaged or incomplete|is not a backup/);
  }
  // Well compressed, but without the last line or the one before it.
  writeFileSync(file, zstdCompressSync(lines));
  await expectRejected('is damaged or incomplete: nothing was restored.');
  writeFileSync(file, zstdCompressSync(lines.slice(0, lines.lastIndexOf('[')) + end));
  await expectRejected('is damaged or incomplete');
});

test('restore rejects a file with any change', async () => {
  for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 40)) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    writeFileSync(file, changed);
    await expectRejected(/is damaged or incomplete|is not a backup|newer release .format/);
  }
  // Well compressed.
  writeFileSync(file, zstdCompressSync(lines.replace('Pivot Gauge', 'Pivot gauge') + end));
  await expectRejected('is damaged or incomplete');
  writeFileSync(file, zstdCompressSync(`${lines}${end}[]\n`));
  await expectRejected('is damaged or incomplete');
});

test('restore rejects a file from a newer release', async () => {
  writeBackupLines(file, lines.replace('"004-audit"', '"004-audit","999-later"'));
  await expectRejected('was made by a newer release (999-later): restore it with that release.');
  writeBackupLines(file, lines.replace('"format":1', '"format":2'));
  await expectRejected('was made by a newer release (format 2)');
});

test('restore rejects a file with other tables than the shop’s', async () => {
  const more = (table: object) => `${lines}${JSON.stringify(table)}\n["text"]\n`;
  const other = { table: 'other', columns: { name: 'text' }, key: ['name'] };
  for (const schema of ['main', 'pg_catalog']) {
    writeBackupLines(file, more({ ...other, schema }));
    await expectRejected('is damaged or incomplete');
  }
  writeBackupLines(file, lines.replace('"004-audit"', '"\\u001b[2J"'));
  await expectRejected('is not a backup of this shop');
  for (const table of ['other', 'sqlite_master', 'pg_authid']) {
    writeBackupLines(file, more({ ...other, table }));
    const restored = restoreBackup(readConfig({ DATA_DIR: dataDir }), file);
    await expect(restored).rejects.toThrow(`${file} is not a backup of this shop: nothing was restored.`);
  }
});
