import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { RecordedEvent } from '../../shop/shop.ts';
import { subscribeToErrors } from '../log.ts';
import { type Failure, upsertFailures, upsertLastTimes } from './queries.ts';

const flushIntervalMs = 2000;
/** Log messages are constant and few; these limits guard against one that is neither. */
const maxMessages = 50;
const maxMessageLength = 200;

/**
 * Records for the Health page when events last happened and which errors were logged. Saves every two seconds, so that a
 * burst of errors costs one write and no request waits or fails for it. If saving fails, the next save tries again.
 */
export function startHealthNotes({ db }: Database, log: Logger) {
  let times = new Map<RecordedEvent, number>();
  let failures = new Map<string, Failure>();

  function add(logged: string, failure: Failure): void {
    const message = failures.has(logged) || failures.size < maxMessages ? logged : 'other errors';
    failures.set(message, { ...failure, times: failure.times + (failures.get(message)?.times ?? 0) });
  }

  subscribeToErrors(log, (logged, requestId) => {
    // PostgreSQL rejects NUL characters.
    const message = logged.slice(0, maxMessageLength).replaceAll('\0', '');
    add(message, { times: 1, lastAt: Date.now(), requestId });
  });

  async function save(): Promise<void> {
    const unsaved = { times, failures };
    times = new Map();
    failures = new Map();
    try {
      await upsertLastTimes(db, unsaved.times);
      await upsertFailures(db, unsaved.failures);
    } catch (error) {
      // An error would be one more note to save.
      log.debug({ error }, 'health notes could not be saved');
      times = new Map([...unsaved.times, ...times]);
      for (const [message, failure] of unsaved.failures) add(message, failure);
    }
  }

  let saving = Promise.resolve();
  const flush = () => (saving = saving.then(save));
  const timer = setInterval(flush, flushIntervalMs).unref();

  return {
    recordTime: (event: RecordedEvent): void => void times.set(event, Date.now()),
    /** Saves the remaining notes. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}
