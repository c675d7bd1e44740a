import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { hearErrors } from '../log.ts';
import { type Failures, writeFailures } from './failures.ts';
import { type Happening, writeLastTimes } from './last-times.ts';

const everyMs = 2000;
/** The log has fewer sentences; if ever one had something of its own in it each time, the rest would be one kind. */
const mostKinds = 50;
const otherKind = 'other errors';
const longest = 200;

/**
 * Remembers for the page Health when something last happened and what went wrong, as the log says it: in memory, and
 * in the database every two seconds at most, however much it is. No request waits for that, and none fails by it: what
 * cannot be written, as while the database is away, is tried again with what has come since.
 */
export function keepNotes(database: Database, log: Logger) {
  let times = new Map<Happening, number>();
  let failures: Failures = new Map();
  let writing: Promise<void> | undefined;
  const kinds = new Set<string>();

  function add(what: string, failed: { times: number; lastAt: number; requestId: string | null }): void {
    const kind = kinds.has(what) || kinds.size < mostKinds ? what : otherKind;
    kinds.add(kind);
    failures.set(kind, { ...failed, times: failed.times + (failures.get(kind)?.times ?? 0) });
  }

  hearErrors(log, (what, requestId) =>
    // PostgreSQL takes no NUL.
    add(what.slice(0, longest).replaceAll('\0', ''), { times: 1, lastAt: Date.now(), requestId }),
  );

  async function write(): Promise<void> {
    const taken = { times, failures };
    times = new Map();
    failures = new Map();
    try {
      await writeLastTimes(database.db, taken.times);
      taken.times = new Map();
      await writeFailures(database.db, taken.failures);
    } catch (error) {
      // Not as an error, or it would be one to write down.
      log.debug({ error }, 'what went wrong could not be written down; the next time tries again');
      // What has come meanwhile is the newer.
      const newer = { times, failures };
      times = new Map([...taken.times, ...newer.times]);
      failures = taken.failures;
      for (const [what, failed] of newer.failures) add(what, failed);
    }
  }

  function writeWhatIsThere(): Promise<void> {
    if (times.size > 0 || failures.size > 0)
      writing ??= write().finally(() => {
        writing = undefined;
      });
    return writing ?? Promise.resolve();
  }

  const timer = setInterval(() => void writeWhatIsThere(), everyMs).unref();

  return {
    happened: (what: Happening): void => void times.set(what, Date.now()),
    /** Writes what is left. */
    async stop() {
      clearInterval(timer);
      await writing;
      await writeWhatIsThere();
    },
  };
}
