import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const retentionMs = 30 * 24 * 60 * 60 * 1000;

/** The modification time of this file is the time of the last publish; running shops detect new files by it (`pages/files.ts`). */
const markerFile = '.published';

/** Creates an empty folder to build into, so that partly written files are never served. */
export function createStage(name: string): string {
  const stage = join('dist', 'next', name);
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  return stage;
}

/**
 * Moves a finished build into the served folder, each file atomically. Files of replaced builds stay for a month after
 * their replacement: a running shop may read them late, and open pages still request their scripts.
 */
export function publish(stage: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const now = new Date();
  // Files of replaced builds must look older than those of the current build.
  const replacedAt = new Date(now.getTime() - 1000);
  const lastPublished = statSync(join(folder, markerFile), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  for (const file of listFiles(folder)) {
    const { mtimeMs } = statSync(file);
    // The file belonged to the current build until now, so its month starts.
    if (mtimeMs >= lastPublished) utimesSync(file, replacedAt, replacedAt);
    else if (mtimeMs < now.getTime() - retentionMs) rmSync(file);
  }
  for (const file of listFiles(stage)) {
    const to = join(folder, relative(stage, file));
    mkdirSync(dirname(to), { recursive: true });
    utimesSync(file, now, now);
    renameSync(file, to);
  }
  rmSync(stage, { recursive: true });
  writeFileSync(join(folder, markerFile), '');
  utimesSync(join(folder, markerFile), now, now);
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
