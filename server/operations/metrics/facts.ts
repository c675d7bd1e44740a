import { setTimeout } from 'node:timers/promises';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { Facts } from '../../../contract/health.ts';

/** Facts are read at most once per `maxAgeMs`; a scrape waits up to `timeoutMs` for them. */
const defaultTimes = { maxAgeMs: 5000, timeoutMs: 3000 };

type FactGauge = [name: string, help: string, readValue: (facts: Facts, now: number) => number | null];

const ageSeconds = (at: string | null, now: number) => (at === null ? null : (now - Date.parse(at)) / 1000);

const factGauges: FactGauge[] = [
  [
    'shop_webhook_age_seconds',
    'Time since the last signed event of the payment provider.',
    ({ webhook }, now) => ageSeconds(webhook.lastAt, now),
  ],
  ['shop_payments_waiting', 'Open payments, counted up to 1000.', ({ payments }) => payments.open],
  [
    'shop_payments_unanswered',
    'Open payments that the provider has not answered for ten minutes.',
    ({ payments }) => payments.unanswered,
  ],
  [
    'shop_payments_waiting_age_seconds',
    'Age of the oldest open payment.',
    ({ payments }, now) => ageSeconds(payments.oldestOpenAt, now),
  ],
  [
    'shop_refunds_due',
    'Refunds that the provider has not accepted yet.',
    ({ payments }) => payments.refundsDue,
  ],
  ['shop_refunds_pending', 'Pending refunds.', ({ payments }) => payments.refundsPending],
  ['shop_refunds_failed', 'Failed refunds.', ({ payments }) => payments.refundsFailed],
  [
    'shop_payments_unknown',
    'Payments at the provider that carry this shop’s id but are not in its database.',
    ({ payments }) => payments.unknown,
  ],
  ['shop_holds', 'Unpaid orders that hold stock, counted up to 1000.', ({ holds }) => holds.orders],
  ['shop_held_pieces', 'Pieces held by unpaid orders.', ({ holds }) => holds.pieces],
  ['shop_holds_overdue', 'Holds that should have ended ten minutes ago.', ({ holds }) => holds.overdue],
  ['shop_errors_last_day', 'Errors logged in the last day.', ({ errors }) => errors.count],
  [
    'shop_periodic_work_age_seconds',
    'Time since a process last finished the periodic work.',
    ({ periodicWork }, now) => ageSeconds(periodicWork.lastFinishedAt, now),
  ],
  ['shop_database_bytes', 'Size of the database.', ({ database }) => database.bytes],
  [
    'shop_backup_age_seconds',
    'Time since the last backup.',
    ({ lastBackupAt }, now) => ageSeconds(lastBackupAt, now),
  ],
];

/**
 * Registers the state of the shop, which is the same in every process that shares its database. Returns a function that
 * refreshes the gauges. A gauge without a value is left out, as are all but `shop_database_up` when the database does
 * not respond.
 */
export function registerFactGauges(
  registry: Registry,
  info: Record<string, string>,
  readFacts: () => Promise<Facts>,
  { maxAgeMs, timeoutMs } = defaultTimes,
): () => Promise<void> {
  const registers = [registry];
  const labelNames = Object.keys(info);
  new Gauge({ name: 'shop_info', help: 'Version, engine and mode of this shop.', labelNames, registers }).set(
    info,
    1,
  );
  const up = new Gauge({ name: 'shop_database_up', help: 'Whether the database responds.', registers });
  const gauges = factGauges.map(([name, help, readValue]) => ({
    gauge: new Gauge({ name, help, registers }),
    readValue,
  }));

  let latest: Promise<Facts | undefined> | undefined;
  let isReading = false;
  let staleAt = 0;
  function readLatest(): Promise<Facts | undefined> {
    const now = performance.now();
    // Each read holds a connection: while the database hangs, start no second one.
    if (!latest || (now > staleAt && !isReading)) {
      staleAt = now + maxAgeMs;
      isReading = true;
      latest = readFacts()
        .catch(() => undefined)
        .finally(() => {
          isReading = false;
        });
    }
    return Promise.race([latest, setTimeout(timeoutMs, undefined, { ref: false })]);
  }

  return async () => {
    const facts = await readLatest();
    const now = Date.now();
    up.set(facts ? 1 : 0);
    for (const { gauge, readValue } of gauges) {
      const value = facts ? readValue(facts, now) : null;
      if (value === null) gauge.remove();
      else gauge.set(value);
    }
  };
}
