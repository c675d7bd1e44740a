import { closeSync, mkdirSync, openSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Does `work` while no other process is inside `inTurn` of the same file: two starts at once neither
 * install nor build into each other. The holder touches the file every second; one that has not been
 * touched for ten was left behind by a killed process.
 */
export async function inTurn(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  while (!take(file)) await wait(100);
  const touch = setInterval(() => utimesSync(file, new Date(), new Date()), 1000);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    rmSync(file, { force: true });
  }
}

function take(file) {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (touched !== undefined && Date.now() - touched > 10_000) rmSync(file, { force: true });
    return false;
  }
}
