import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { yieldToEventLoop } from '../config/event-loop.ts';
import type { Database } from './database.ts';
import type { Db, Tx } from './schema.ts';

/** `run` returns the function that settles the caller's promise after the commit. */
type Member = { run: (tx: Tx) => Promise<() => void>; reject: (error: unknown) => void };

const savepoint = CompiledQuery.raw('savepoint member');
const release = CompiledQuery.raw('release member');
const rollback = CompiledQuery.raw('rollback to member');

/** After this time, a group starts no more members and commits. Nothing else runs meanwhile. */
const maxGroupMs = 50;

/**
 * Group commit for SQLite, where each commit waits for the disk and blocks all writers. Transactions that arrive together share a
 * commit, each in its own savepoint. Callers settle only once the shared commit is durable. If the commit fails, all its
 * transactions fail.
 */
export function createGroupCommit(db: Db): Database['transaction'] {
  const waiting: Member[] = [];
  let isRunning = false;

  async function runGroups(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      // Let all requests that have arrived by now join the group.
      await setImmediate();
      const group: Member[] = [];
      try {
        const settlers = await db.transaction().execute((tx) => runSome(tx, waiting, group));
        for (const settle of settlers) settle();
      } catch (error) {
        // If no member has run, the transaction could not begin. All waiting members depended on it, so all of them fail.
        const failed = group.length > 0 ? group : waiting.splice(0);
        for (const { reject } of failed) reject(error);
      }
      if (waiting.length > 0) await yieldToEventLoop();
    }
    isRunning = false;
  }

  return (work) =>
    new Promise((resolve, reject) => {
      // Keep the caller's context, because another caller's request may run the group.
      const run = AsyncLocalStorage.bind(async (tx: Tx) => {
        const result = await work(tx);
        return () => resolve(result);
      });
      waiting.push({ run, reject });
      if (!isRunning) void runGroups();
    });
}

/** Moves members from `waiting` to `group` and runs them, until none waits or the group has run for long enough. */
async function runSome(tx: Tx, waiting: Member[], group: Member[]): Promise<(() => void)[]> {
  const settlers: (() => void)[] = [];
  const endsAt = performance.now() + maxGroupMs;
  while (group.length === 0 || performance.now() < endsAt) {
    const member = waiting.shift();
    if (!member) break;
    group.push(member);
    const { run, reject } = member;
    // A single member needs no savepoint: its failure rolls back the transaction.
    if (group.length === 1 && waiting.length === 0) return [await run(tx)];
    await tx.executeQuery(savepoint);
    try {
      settlers.push(await run(tx));
    } catch (error) {
      // If SQLite has already rolled back the transaction (on a full disk), the whole group has failed.
      await tx.executeQuery(rollback).catch(() => {
        throw error;
      });
      settlers.push(() => reject(error));
    }
    await tx.executeQuery(release);
  }
  return settlers;
}
