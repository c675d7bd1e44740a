import { setImmediate } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { Db, Tx } from './database.ts';

type Work<T> = (tx: Tx) => Promise<T>;
/** Does its part of a transaction; what it gives tells whoever waits what became of it. */
type Part = { run: Work<() => void>; fail: (error: unknown) => void };

const mark = CompiledQuery.raw('savepoint part');
const keep = CompiledQuery.raw('release part');
const undo = CompiledQuery.raw('rollback to part');

/**
 * Transactions for SQLite, where a commit waits for the disk and nobody else can write meanwhile: those that
 * arrive together share one, one after another, each within a savepoint of its own, so that one that is refused
 * undoes its own writes only. Nobody hears anything, yes or no, before the commit that it rests on is on the
 * disk; where that fails, it has failed for all of them.
 */
export function createGroups(db: Db): <T>(work: Work<T>) => Promise<T> {
  let waiting: Part[] = [];
  let working = false;

  async function workOff(): Promise<void> {
    working = true;
    while (waiting.length > 0) {
      // All requests that have arrived by now get as far as to wait here.
      await setImmediate();
      const group = waiting;
      waiting = [];
      try {
        const tellers = await db.transaction().execute((tx) => runAll(tx, group));
        for (const tell of tellers) tell();
      } catch (error) {
        for (const { fail } of group) fail(error);
      }
    }
    working = false;
  }

  return (work) =>
    new Promise((resolve, reject) => {
      const run: Part['run'] = async (tx) => {
        const done = await work(tx);
        return () => resolve(done);
      };
      waiting.push({ run, fail: reject });
      if (!working) void workOff();
    });
}

async function runAll(tx: Tx, group: Part[]): Promise<(() => void)[]> {
  const [only] = group;
  // Alone, its own failure ends the transaction.
  if (only && group.length === 1) return [await only.run(tx)];
  const tellers: (() => void)[] = [];
  for (const { run, fail } of group) {
    await tx.executeQuery(mark);
    try {
      tellers.push(await run(tx));
    } catch (error) {
      // Where SQLite has ended the transaction by itself (a full disk), it has failed for all of them.
      await tx.executeQuery(undo).catch(() => {
        throw error;
      });
      tellers.push(() => fail(error));
    }
    await tx.executeQuery(keep);
  }
  return tellers;
}
