import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const month = 30 * 24 * 60 * 60 * 1000;

/** Its time is that of the last publishing; a running shop sees by it that there are new files (`pages/files.ts`). */
const mark = '.published';

/** A new folder beside `dist/…`, to build into: what is served is never half written. */
export function createStage(name: string): string {
  const stage = join('dist', 'next', name);
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  return stage;
}

/**
 * Moves a finished build into the folder that is served, each file whole. Files of the build before stay for a month from
 * now, and so do those of earlier ones from when they were replaced: a shop that is still running from one reads
 * some of them late, and a page that is still open asks for its scripts.
 */
export function publish(stage: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const now = new Date();
  // Older than what is current.
  const replaced = new Date(now.getTime() - 1000);
  const last = statSync(join(folder, mark), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  for (const file of listFiles(folder)) {
    const { mtimeMs } = statSync(file);
    // Until now it was of the current build.
    if (mtimeMs >= last) utimesSync(file, replaced, replaced);
    else if (mtimeMs < now.getTime() - month) rmSync(file);
  }
  for (const file of listFiles(stage)) {
    const to = join(folder, relative(stage, file));
    mkdirSync(dirname(to), { recursive: true });
    utimesSync(file, now, now);
    renameSync(file, to);
  }
  rmSync(stage, { recursive: true });
  writeFileSync(join(folder, mark), '');
  utimesSync(join(folder, mark), now, now);
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
