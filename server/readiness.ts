import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database, Db } from './database/database.ts';
import { listApplied, migrations } from './database/migrate.ts';
import { ShopError } from './errors.ts';
import { problemResponse } from './problem.ts';
import type { Visit } from './route.ts';
import { type Question, shareQuestions } from './workers.ts';

/** How long the database may take to answer, and how long its answer holds for whoever else asks. */
const patienceMs = 1500;
const sharedMs = 500;
/** Whoever has asked again within this time is one that asks regularly. */
const latelyMs = 60_000;
/** After how many failures Kubernetes, HAProxy and most others send no more; and a moment for them to act on it. */
const enough = 3;
const momentMs = 500;
/** Whoever has not heard it by then asks too seldom. */
const longestMs = 15_000;
const mostAskers = 100;

/** All that anybody is told: neither addresses nor the database's own words. */
const reasons = {
  database: 'The database does not answer.',
  migrations: 'The database lacks a change that this release needs.',
  stopping: 'This process is stopping.',
};
type Missing = keyof typeof reasons;

type Asking = Pick<Visit, 'address' | 'requestId'>;
export type Readiness = ReturnType<typeof createReadiness>;

/**
 * Whether this process can serve, as balancers ask at `/readyz`: 200, or 503 and what is missing. A database with
 * more changes than this release knows is one that the next release has begun to use: that is no reason to go.
 */
export function createReadiness({ db }: Pick<Database, 'db'>, log: Logger) {
  const askers = new Map<string, { asked: number; at: number; told: number }>();
  let stopping = false;
  let looking: Promise<Missing | undefined> | undefined;
  let before: Missing | undefined;
  const heard = Promise.withResolvers<void>();

  /** However many ask at once or again and again, the database is asked once, and next over another connection. */
  function look(): Promise<Missing | undefined> {
    const tooLate = () => setTimeout(patienceMs, 'database' as const, { ref: false });
    looking ??= Promise.race([findMissing(db), tooLate()])
      .catch((error: unknown): Missing => {
        log.debug({ error }, 'the database did not answer whether this process is ready');
        return 'database';
      })
      .finally(() => {
        void setTimeout(sharedMs, undefined, { ref: false }).then(() => {
          looking = undefined;
        });
      });
    return looking;
  }

  async function judge(): Promise<Missing | undefined> {
    if (stopping) return 'stopping';
    const missing = await look();
    if (missing && missing !== before) log.warn({ missing }, reasons[missing]);
    if (before && !missing) log.info('this process is ready again');
    before = missing;
    // It may have come meanwhile.
    return stopping ? 'stopping' : missing;
  }

  /** Notes who asks, too: who does so regularly is to hear that this process stops before it does. */
  async function answer({ headers }: Request, { address, requestId }: Asking): Promise<Response> {
    const missing = await judge();
    const asker = `${address} ${headers.get('user-agent')?.slice(0, 100)}`;
    const question = { asker, told: missing === 'stopping' };
    note(question);
    share(question);
    if (!missing) return new Response('ready\n', { headers: { 'cache-control': 'no-store' } });
    const error = new ShopError('unavailable', reasons[missing], { data: { missing }, retryAfter: 1 });
    return problemResponse(error, requestId);
  }

  function note({ asker, told }: Question): void {
    const now = performance.now();
    for (const [who, { at }] of askers) if (now - at > latelyMs) askers.delete(who);
    const known = askers.get(asker) ?? { asked: 0, at: now, told: 0 };
    if (!askers.has(asker) && (stopping || !hasRoom())) return;
    known.asked += 1;
    known.at = now;
    if (told) known.told += 1;
    askers.set(asker, known);
    if (stopping && !isWaiting()) heard.resolve();
  }

  /** Names are easily made up: who has asked only once gives way to who comes now. */
  function hasRoom(): boolean {
    if (askers.size < mostAskers) return true;
    const [once] = [...askers].find(([, { asked }]) => asked === 1) ?? [];
    return once !== undefined && askers.delete(once);
  }

  /** Of several workers behind one port each counts what any of them is asked. */
  const share = shareQuestions(note);

  const isWaiting = (): boolean =>
    [...askers.values()].some(
      ({ asked, at, told }) => asked > 1 && told < enough && performance.now() - at <= latelyMs,
    );

  return {
    answer,
    /**
     * From now on this process is not ready. Resolves when everybody who asks regularly has been told often enough to
     * send nothing more; at once where nobody does.
     */
    async stop(): Promise<void> {
      stopping = true;
      if (!isWaiting()) return;
      await Promise.race([heard.promise, setTimeout(longestMs, undefined, { ref: false })]);
      await setTimeout(momentMs);
    },
  };
}

async function findMissing(db: Db): Promise<Missing | undefined> {
  const applied = await listApplied(db);
  return migrations.every(({ name }) => applied.includes(name)) ? undefined : 'migrations';
}
