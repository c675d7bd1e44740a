import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ShopError } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import { listApplied, migrations } from '../../database/migrate.ts';
import type { Db } from '../../database/schema.ts';
import { problemResponse } from '../problem.ts';

const databaseTimeoutMs = 1500;
/** Anyone may request /readyz, so a result is reused for this long instead of querying the database each time. */
const reuseMs = 500;

/** The reasons are public, so they contain neither addresses nor database error messages. */
const reasons = {
  database: 'The database does not respond.',
  migrations: 'The database lacks a migration that this release needs.',
  stopping: 'This process is stopping.',
};
type NotReadyReason = keyof typeof reasons;

export type Readiness = ReturnType<typeof createReadiness>;

/**
 * Answers `/readyz` for load balancers: 200 if this process can serve, otherwise 503 with the reason. A database with
 * more migrations than this release knows is fine: that is normal during an upgrade.
 */
export function createReadiness({ db }: Pick<Database, 'db'>, log: Logger) {
  let isStopping = false;
  let check: Promise<NotReadyReason | undefined> | undefined;
  let lastMissing: NotReadyReason | undefined;

  async function checkDatabase(): Promise<NotReadyReason | undefined> {
    const timeout = setTimeout(databaseTimeoutMs, 'database' as const, { ref: false });
    const missing = await Promise.race([findMissing(db), timeout]).catch((error: unknown): NotReadyReason => {
      log.debug({ error }, 'the readiness check could not query the database');
      return 'database';
    });
    if (missing && missing !== lastMissing) log.warn({ missing }, reasons[missing]);
    if (lastMissing && !missing) log.info('this process is ready again');
    lastMissing = missing;
    void setTimeout(reuseMs, undefined, { ref: false }).then(() => {
      check = undefined;
    });
    return missing;
  }

  return {
    async answer(requestId: string): Promise<Response> {
      if (!isStopping) check ??= checkDatabase();
      const found = isStopping ? undefined : await check;
      // Read again, because the process may have begun to stop during the check.
      const missing = isStopping ? 'stopping' : found;
      if (!missing) return new Response('ready\n', { headers: { 'cache-control': 'no-store' } });
      const error = new ShopError('unavailable', reasons[missing], { data: { missing }, retryAfter: 1 });
      return problemResponse(error, requestId);
    },
    /** From now on `/readyz` responds 503. */
    startStopping(): void {
      isStopping = true;
    },
  };
}

async function findMissing(db: Db): Promise<NotReadyReason | undefined> {
  const applied = await listApplied(db);
  return migrations.every(({ name }) => applied.includes(name)) ? undefined : 'migrations';
}
