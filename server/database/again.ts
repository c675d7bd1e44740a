import { setTimeout } from 'node:timers/promises';
import type { DatabaseConnection } from 'kysely';

const mostTries = 10;
const longestMs = 100;

/** SQLSTATE 40001 (serialization failure) and 40P01 (deadlock): PostgreSQL asks to run it again. */
export function metAnother(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === '40001' || code === '40P01';
}

/**
 * Runs `work` again where it met another one: after a moment, longer from time to time and never the same for two, or
 * they would meet again.
 */
export async function untilAlone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= mostTries || !metAnother(error)) throw error;
      await setTimeout(Math.random() * Math.min(longestMs, 2 ** attempt));
    }
  }
}

/**
 * Runs a statement again that met another one where it stands alone: nothing of it was done. Within a transaction only
 * all of that can be run again.
 */
export function makePersistent(connection: DatabaseConnection): void {
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  let within = false;
  connection.executeQuery = async <Row>(...given: Parameters<typeof execute>) => {
    const [{ sql }] = given;
    if (/^(begin|start transaction)/.test(sql)) within = true;
    const alone = !within;
    if (/^(commit|rollback$)/.test(sql)) within = false;
    return alone ? untilAlone(() => execute<Row>(...given)) : execute<Row>(...given);
  };
}
