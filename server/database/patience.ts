import { setTimeout } from 'node:timers/promises';
import { CompiledQuery, type DatabaseConnection } from 'kysely';
import { isBroken, isLocked } from './trouble.ts';

const patienceMs = 5000;
const everyMs = 10;
const forget = CompiledQuery.raw('pragma shrink_memory');

/**
 * Waits its turn where another process writes into the same SQLite file. SQLite's own waiting would keep this process
 * from everything else meanwhile. Whoever finds the file locked for longer than five seconds is told so at once, and
 * so is everybody behind it: else each would wait for as long again.
 */
export function makePatient(connection: DatabaseConnection): void {
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  let lockedSince: number | undefined;
  connection.executeQuery = async <Row>(...given: Parameters<typeof execute>) => {
    for (;;) {
      try {
        const result = await execute<Row>(...given);
        // Who only reads is not kept waiting, and knows nothing of locks.
        if (result.numAffectedRows !== undefined) lockedSince = undefined;
        return result;
      } catch (error) {
        // Pages that were read from a disk that failed are not kept for when it is well again.
        if (isBroken(error)) await execute(forget).catch(() => undefined);
        if (!isLocked(error)) throw error;
        lockedSince ??= performance.now();
        if (performance.now() - lockedSince > patienceMs) throw error;
        await setTimeout(everyMs);
      }
    }
  };
}
