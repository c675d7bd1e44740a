import { randomUUID } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const staleAfterMs = 10_000;
const touchIntervalMs = 1000;

/**
 * Runs `work` while holding the lock file, so that concurrent starts do not install or build at the same time. The holder
 * touches the file every second; a file untouched for ten seconds was left by a killed process.
 */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  const holder = randomUUID();
  while (!acquire(file, holder)) await wait(100);
  const touch = setInterval(() => succeeds(() => utimesSync(file, new Date(), new Date())), touchIntervalMs);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    // After the machine slept, another process may have replaced our lock as stale.
    succeeds(() => readFileSync(file, 'utf8') === holder && rmSync(file));
  }
}

function acquire(file, holder) {
  try {
    writeFileSync(file, holder, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isStale(file)) removeStale(file);
    return false;
  }
}

function isStale(file) {
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return touched !== undefined && Date.now() - touched > staleAfterMs;
}

/**
 * Moves the stale file aside, which only one process can do. If another process has been faster and holds a new lock, the moved
 * file is that lock, and is put back.
 */
function removeStale(file) {
  const aside = `${file}.${randomUUID()}`;
  if (!succeeds(() => renameSync(file, aside))) return;
  if (!isStale(aside)) succeeds(() => linkSync(aside, file));
  rmSync(aside, { force: true });
}

/** Returns false if it throws, for example because the file is gone. */
function succeeds(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
