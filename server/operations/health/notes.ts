import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Service } from '../../../contract/admin/health.ts';
import type { Database } from '../../database/database.ts';
import type { Db } from '../../database/schema.ts';
import type { RecordedEvent, RecordService } from '../../shop/shop.ts';
import { setErrorListener } from '../log.ts';

const flushIntervalMs = 2000;
/** Log messages are few and constant; these limits guard against a message with variable text. */
const maxMessages = 50;
const maxMessageLength = 200;

/** Whether a service has worked or failed since the last save. */
type ServiceNote = { hasWorked: boolean; outage?: { since: number; problem: string } };
type ServiceNotes = Map<Service, ServiceNote>;

type Failure = { times: number; lastAt: number; requestId: string | null };

/** Saves every two seconds, so that a burst of errors costs one write, and no request waits for it or fails because of it. */
export function startHealthNotes({ db }: Database, log: Logger) {
  let times = new Map<RecordedEvent, number>();
  let failures = new Map<string, Failure>();
  let services: ServiceNotes = new Map();

  function add(logged: string, failure: Failure): void {
    const message = failures.has(logged) || failures.size < maxMessages ? logged : 'other errors';
    failures.set(message, { ...failure, times: failure.times + (failures.get(message)?.times ?? 0) });
  }

  setErrorListener(log, (logged, requestId) =>
    // PostgreSQL rejects NUL characters.
    add(logged.slice(0, maxMessageLength).replaceAll('\0', ''), { times: 1, lastAt: Date.now(), requestId }),
  );

  async function save(): Promise<void> {
    const unsaved = { times, failures, services };
    times = new Map();
    services = new Map();
    failures = new Map();
    try {
      await upsertLastTimes(db, unsaved.times);
      await updateOutages(db, unsaved.services);
      // Save the failures last, because saving them again would count them twice.
      await upsertFailures(db, unsaved.failures);
    } catch (error) {
      // Not logged as an error, which would be one more note to save.
      log.debug({ error }, 'health notes could not be saved');
      times = new Map([...unsaved.times, ...times]);
      for (const [message, failure] of unsaved.failures) add(message, failure);
      for (const [service, note] of unsaved.services)
        services.set(service, combine(note, services.get(service)));
    }
  }

  let saving: Promise<void> | undefined;
  /** Does nothing during a save: the next interval saves what was added since. */
  const flush = () => (saving ??= save().finally(() => (saving = undefined)));
  const timer = setInterval(flush, flushIntervalMs).unref();

  return {
    recordTime: (event: RecordedEvent): void => void times.set(event, Date.now()),
    recordService: ((service, problem, since = Date.now()) =>
      void services.set(
        service,
        combine(
          services.get(service),
          problem === undefined ? { hasWorked: true } : { hasWorked: false, outage: { since, problem } },
        ),
      )) satisfies RecordService,
    async stop(): Promise<void> {
      clearInterval(timer);
      await saving;
      await flush();
    },
  };
}

export async function upsertLastTimes(db: Db, times: Map<RecordedEvent, number>): Promise<void> {
  if (times.size === 0) return;
  await db
    .insertInto('last_time')
    .values(inKeyOrder(times).map(([name, at]) => ({ name, at })))
    .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ at: eb.ref('excluded.at') })))
    .execute();
}

/** An outage lasts until the service works. It has the most recent problem. */
function combine(earlier: ServiceNote | undefined, later: ServiceNote | undefined): ServiceNote {
  if (!later) return earlier ?? { hasWorked: false };
  if (!earlier || later.hasWorked || !later.outage) return later;
  const since = earlier.outage?.since ?? later.outage.since;
  return { hasWorked: earlier.hasWorked, outage: { ...later.outage, since } };
}

async function updateOutages(db: Db, services: ServiceNotes): Promise<void> {
  const notes = inKeyOrder(services);
  const working = notes.filter(([, { hasWorked }]) => hasWorked).map(([service]) => service);
  if (working.length > 0) await db.deleteFrom('outage').where('service', 'in', working).execute();
  const failing = notes.flatMap(([service, { outage }]) => (outage ? [{ service, ...outage }] : []));
  if (failing.length === 0) return;
  await db
    .insertInto('outage')
    .values(failing)
    .onConflict((conflict) =>
      conflict.column('service').doUpdateSet((eb) => ({ problem: eb.ref('excluded.problem') })),
    )
    .execute();
}

/** Adds failures, by log message, to the counts of the same hour. */
export async function upsertFailures(db: Db, failures: Map<string, Failure>): Promise<void> {
  if (failures.size === 0) return;
  const rows = inKeyOrder(failures).map(([what, { times, lastAt, requestId }]) => {
    return { hour: toHour(lastAt), what, times, last_at: lastAt, request_id: requestId };
  });
  await db
    .insertInto('error_count')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['hour', 'what']).doUpdateSet({
        times: sql`error_count.times + excluded.times`,
        last_at: sql`excluded.last_at`,
        request_id: sql`excluded.request_id`,
      }),
    )
    .execute();
}

export async function deleteOldFailures(db: Db): Promise<void> {
  await db.deleteFrom('error_count').where('hour', '<', hoursAgo(48)).execute();
}

const toHour = (time: number): number => Math.floor(time / (60 * 60_000));
/** A value of `error_count.hour`. */
export const hoursAgo = (hours: number): number => toHour(Date.now()) - hours;

/** In the same order in every process, so that concurrent writes do not deadlock. */
const inKeyOrder = <Key extends string, Value>(map: Map<Key, Value>): [Key, Value][] =>
  [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
