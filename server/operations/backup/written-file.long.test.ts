import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addPictures, settingsFor } from '../../../tests/support/backups.ts';
import { makeFolder } from '../../../tests/support/database.ts';
import { runCommand, runProgram } from '../../../tests/support/server.ts';

let folder: string;
let file: string;
let settings: Record<string, string>;
beforeEach(async () => {
  folder = makeFolder();
  mkdirSync(join(folder, 'data'));
  mkdirSync(join(folder, 'backups'));
  file = join(folder, 'backups', 'backup');
  settings = settingsFor(place());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const runBackup = (...args: string[]) =>
  runCommand(['server/operations/commands/backup.ts', ...args], settings);
const place = (name = 'data') => ({ file: join(folder, name, 'shop.db') });
const listBackups = () => readdirSync(join(folder, 'backups'));

test('a backup is readable by its owner only and never overwrites a file', async () => {
  await addPictures(place(), 0);
  expect(await runBackup(file).ended).toMatchObject({ code: 0, err: '' });
  expect(listBackups()).toEqual(['backup']);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = readFileSync(file);
  const repeated = await runBackup(file).ended;
  expect(repeated).toMatchObject({
    code: 1,
    out: '',
    err: `${file} already exists: choose a new file name.\n`,
  });
  expect(readFileSync(file)).toEqual(before);
});

test('backup reports a folder that is missing or not a folder', async () => {
  await addPictures(place(), 0);
  writeFileSync(file, '');
  for (const [target, code] of [
    [join(folder, 'nowhere', 'backup'), 'ENOENT'],
    [join(file, 'backup'), 'ENOTDIR'],
  ] as const) {
    const err = `${target} cannot be written (${code}): no backup was made.\n`;
    expect(await runBackup(target).ended).toMatchObject({ code: 1, out: '', err });
  }
});

test.each(['backup', 'restore'])('%s requires the name of one file', async (command) => {
  for (const args of [[], ['one', 'another']]) {
    const result = await runCommand([`server/operations/commands/${command}.ts`, ...args], settings).ended;
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toMatch(/^Name [^\n]+ FILE\n$/);
  }
});

test.skipIf(process.platform === 'win32')(
  'a stopped backup leaves nothing, a killed one only a partial file',
  async () => {
    await addPictures(place(), 40);
    const stopped = runBackup(file);
    await expect.poll(listBackups, { interval: 5 }).toHaveLength(1);
    const err = `The backup was stopped: ${file} was not written.\n`;
    expect(await stopped.kill('SIGTERM')).toMatchObject({ code: 1, out: '', err });
    expect(listBackups()).toEqual([]);

    const killed = runBackup(file);
    await expect.poll(listBackups, { interval: 5 }).toHaveLength(1);
    await killed.kill('SIGKILL');
    expect(listBackups()).toEqual([expect.stringMatching(/^backup\..+\.part$/)]);
    expect(await runBackup(file).ended).toMatchObject({ code: 0, err: '' });
  },
);

test.runIf(process.platform === 'linux')('a full disk leaves nothing', async () => {
  await addPictures(place(), 3);
  // Limits the file size, in blocks of 512 bytes, which fails like a full disk.
  const command = `ulimit -f 2000; exec "${process.execPath}" server/operations/commands/backup.ts "${file}"`;
  const { code, out, err } = await runProgram('/bin/sh', ['-c', command], settings).ended;
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toBe(`${file} cannot be written (EFBIG): no backup was made.\n`);
  expect(listBackups()).toEqual([]);
});

test.skipIf(process.platform === 'win32')('a killed restore leaves nothing', async () => {
  await addPictures(place(), 40);
  expect(await runBackup(file).ended).toMatchObject({ code: 0, err: '' });
  const fresh = place('fresh');
  const restore = () => runCommand(['server/operations/commands/restore.ts', file], settingsFor(fresh));
  const killed = restore();
  // SQLite writes changes that exceed its memory to this file before the commit.
  const walBytes = () => statSync(`${fresh.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  await expect.poll(walBytes, { interval: 5 }).toBeGreaterThan(1_000_000);
  await killed.kill('SIGKILL');
  expect((await restore().ended).out).toContain('40 image files');
});
