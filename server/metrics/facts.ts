import { setTimeout } from 'node:timers/promises';
import type { Facts } from '../../contract/health.ts';
import { type Family, type Labels, makeFamily, setGauge } from './families.ts';

/** Whoever scrapes, and however often: the database is asked this seldom; and how long one scrape waits for it. */
const times = { keptMs: 5000, patienceMs: 3000 };

type Gauge = [name: string, help: string, read: (facts: Facts, now: number) => number | null];

const age = (at: string | null, now: number) => (at === null ? null : (now - Date.parse(at)) / 1000);

const gauges: Gauge[] = [
  [
    'shop_webhook_age_seconds',
    'Since the provider’s last signed event.',
    ({ webhook }, now) => age(webhook.lastAt, now),
  ],
  [
    'shop_payments_waiting',
    'Payments begun and not finished; at most 1000 are counted.',
    ({ payments }) => payments.open,
  ],
  [
    'shop_payments_unanswered',
    'Of them, those that the provider has not answered for ten minutes.',
    ({ payments }) => payments.unanswered,
  ],
  [
    'shop_payments_waiting_age_seconds',
    'Since the oldest of them was begun.',
    ({ payments }, now) => age(payments.oldestOpenAt, now),
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
    'Payments at the provider with the shop’s id that its database does not know.',
    ({ payments }) => payments.unknown,
  ],
  ['shop_holds', 'Unpaid orders that hold stock; at most 1000 are counted.', ({ holds }) => holds.orders],
  ['shop_held_pieces', 'Pieces that they hold.', ({ holds }) => holds.pieces],
  [
    'shop_holds_overdue',
    'Of them, those that should have ended ten minutes ago.',
    ({ holds }) => holds.overdue,
  ],
  ['shop_errors_last_day', 'Errors in the log of the last day.', ({ errors }) => errors.count],
  [
    'shop_periodic_work_age_seconds',
    'Since one of the processes last did what is done every two minutes.',
    ({ periodicWork }, now) => age(periodicWork.lastFinishedAt, now),
  ],
  ['shop_database_bytes', 'Size of the database.', ({ database }) => database.bytes],
  ['shop_backup_age_seconds', 'Since the last backup.', ({ lastBackupAt }, now) => age(lastBackupAt, now)],
];

/**
 * How the shop is, by its database, as gauges: the same from whichever process. What never was is left out, and all of
 * it but `shop_database_up` where the database does not answer. `about` says which shop this is. One that hangs is not
 * asked again before it has answered: each look holds a connection.
 */
export function createFactFamilies(
  read: () => Promise<Facts>,
  about: Labels,
  { keptMs, patienceMs } = times,
): () => Promise<Family[]> {
  let last: Promise<Facts | undefined> | undefined;
  let underWay = false;
  let until = 0;

  function look(): Promise<Facts | undefined> {
    const now = performance.now();
    if (!last || (now > until && !underWay)) {
      until = now + keptMs;
      underWay = true;
      last = read()
        .catch(() => undefined)
        .finally(() => {
          underWay = false;
        });
    }
    return Promise.race([last, setTimeout(patienceMs, undefined, { ref: false })]);
  }

  return async () => {
    const facts = await look();
    const now = Date.now();
    const found = gauges.flatMap(([name, help, of]) => {
      const value = facts ? of(facts, now) : null;
      return value === null ? [] : [gauge(name, help, value)];
    });
    return [
      gauge('shop_info', 'Which shop this is.', 1, about),
      gauge('shop_database_up', 'Whether the database answers.', facts ? 1 : 0),
      ...found,
    ];
  };
}

function gauge(name: string, help: string, value: number, labels?: Labels): Family {
  const family = makeFamily('gauge', name, help);
  setGauge(family, value, labels);
  return family;
}
