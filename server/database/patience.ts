import { setTimeout } from 'node:timers/promises';
import { CompiledQuery, type DatabaseConnection } from 'kysely';
import { nameFile } from '../file-errors.ts';
import { isBroken, isLocked } from './trouble.ts';

const patienceMs = 5000;
const everyMs = 10;
/** How long the others take somebody's word for it that waiting is of no use. */
const believedMs = 1000;
const forget = CompiledQuery.raw('pragma shrink_memory');

/**
 * Waits its turn where another process writes into the same SQLite file. SQLite's own waiting would keep this process
 * from everything else meanwhile. Whoever finds the file locked for five seconds is told so, and so is at once everybody
 * behind it: else each would wait for as long again. Who waits counts its own time alone, and so many short locks, as of
 * an import, are none that lasts.
 */
export function makePatient(connection: DatabaseConnection, file: string): void {
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  let gaveUpAt = -believedMs;
  connection.executeQuery = async <Row>(...given: Parameters<typeof execute>) => {
    const began = performance.now();
    for (;;) {
      try {
        const result = await execute<Row>(...given);
        // Who only reads is not kept waiting, and knows nothing of locks.
        if (result.numAffectedRows !== undefined) gaveUpAt = -believedMs;
        return result;
      } catch (error) {
        // Only for errors about the file: a path does not belong in the log of every failed statement.
        if (isBroken(error) || isLocked(error)) nameFile(error, file);
        // Pages that were read from a disk that failed are not kept for when it is well again.
        if (isBroken(error)) await execute(forget).catch(() => undefined);
        if (!isLocked(error)) throw error;
        const now = performance.now();
        if (now - began > patienceMs || now - gaveUpAt < believedMs) {
          gaveUpAt = now;
          throw error;
        }
        await setTimeout(everyMs);
      }
    }
  };
}
