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

const leftAfterMs = 10_000;

/**
 * Does `work` while no other process is inside `inTurn` of the same file: two starts at once neither
 * install nor build into each other. The holder touches the file every second; one that has not been
 * touched for ten was left behind by a killed process.
 */
export async function inTurn(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  const holder = randomUUID();
  while (!take(file, holder)) await wait(100);
  const touch = setInterval(() => succeeds(() => utimesSync(file, new Date(), new Date())), 1000);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    // Not that of somebody who took ours for left behind (a machine that slept).
    succeeds(() => readFileSync(file, 'utf8') === holder && rmSync(file));
  }
}

function take(file, holder) {
  try {
    writeFileSync(file, holder, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isLeft(file)) removeLeft(file);
    return false;
  }
}

function isLeft(file) {
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return touched !== undefined && Date.now() - touched > leftAfterMs;
}

/**
 * Of all who find it left behind one moves it aside. What was moved is looked at again: in between another
 * one may have removed it and taken the turn, whose file then goes back.
 */
function removeLeft(file) {
  const aside = `${file}.${randomUUID()}`;
  if (!succeeds(() => renameSync(file, aside))) return;
  if (!isLeft(aside)) succeeds(() => linkSync(aside, file));
  rmSync(aside, { force: true });
}

/** False where the file has gone meanwhile, or another one is in its place. */
function succeeds(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
