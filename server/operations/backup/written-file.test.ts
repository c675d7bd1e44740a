import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addPictures, settingsOf } from '../../../tests/support/backups.ts';
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
  settings = settingsOf(place());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const backUp = (...args: string[]) => runCommand(['server/operations/commands/backup.ts', ...args], settings);
const place = (name = 'data') => ({ file: join(folder, name, 'shop.db') });
const made = () => readdirSync(join(folder, 'backups'));

test('a backup is for its owner alone, and never takes the place of a file', async () => {
  await addPictures(place(), 0);
  expect(await backUp(file).ended).toMatchObject({ code: 0, err: '' });
  expect(made()).toEqual(['backup']);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = readFileSync(file);
  const again = await backUp(file).ended;
  expect(again).toMatchObject({
    code: 1,
    out: '',
    err: `${file} is there already: name a file that is not.\n`,
  });
  expect(readFileSync(file)).toEqual(before);
});

test('a folder that is not there, or is none, is told in a sentence', async () => {
  await addPictures(place(), 0);
  writeFileSync(file, '');
  for (const [where, code] of [
    [join(folder, 'nowhere', 'backup'), 'ENOENT'],
    [join(file, 'backup'), 'ENOTDIR'],
  ] as const) {
    const err = `${where} cannot be written (${code}): no backup was made.\n`;
    expect(await backUp(where).ended).toMatchObject({ code: 1, out: '', err });
  }
});

test.each(['backup', 'restore'])('%s wants the name of one file', async (command) => {
  for (const args of [[], ['one', 'another']]) {
    const said = await runCommand([`server/operations/commands/${command}.ts`, ...args], settings).ended;
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toMatch(/^Name [^\n]+ FILE\n$/);
  }
});

test.skipIf(process.platform === 'win32')(
  'one that is stopped leaves nothing, one that is killed no name',
  async () => {
    await addPictures(place(), 40);
    const stopped = backUp(file);
    await expect.poll(made, { interval: 5 }).toHaveLength(1);
    const err = `The backup was stopped: ${file} was not made.\n`;
    expect(await stopped.kill('SIGTERM')).toMatchObject({ code: 1, out: '', err });
    expect(made()).toEqual([]);

    const killed = backUp(file);
    await expect.poll(made, { interval: 5 }).toHaveLength(1);
    await killed.kill('SIGKILL');
    expect(made()).toEqual([expect.stringMatching(/^backup\..+\.part$/)]);
    expect(await backUp(file).ended).toMatchObject({ code: 0, err: '' });
  },
);

test.runIf(process.platform === 'linux')('a disk that takes no more leaves nothing', async () => {
  await addPictures(place(), 3);
  // A file may become no larger than this (in 512 bytes), which the system tells as it tells of a full disk.
  const command = `ulimit -f 2000; exec "${process.execPath}" server/operations/commands/backup.ts "${file}"`;
  const { code, out, err } = await runProgram('/bin/sh', ['-c', command], settings).ended;
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toBe(`${file} cannot be written (EFBIG): no backup was made.\n`);
  expect(made()).toEqual([]);
});

test.skipIf(process.platform === 'win32')('a restore that is killed leaves nothing', async () => {
  await addPictures(place(), 40);
  expect(await backUp(file).ended).toMatchObject({ code: 0, err: '' });
  const fresh = place('fresh');
  const restore = () => runCommand(['server/operations/commands/restore.ts', file], settingsOf(fresh));
  const killed = restore();
  // What no longer fits into its memory it writes beside the database, as it would what it has done.
  const log = () => statSync(`${fresh.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  await expect.poll(log, { interval: 5 }).toBeGreaterThan(1_000_000);
  await killed.kill('SIGKILL');
  expect((await restore().ended).out).toContain('40 picture files');
});
