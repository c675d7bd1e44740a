import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Counter, Gauge, Registry } from '@prometheus-io/client';
import type { Facts } from '../../../contract/admin/health.ts';

/** Facts are cached for `maxAgeMs`; a scrape waits up to `timeoutMs` for them. */
const defaultTimes = { maxAgeMs: 5000, timeoutMs: 3000 };

/** A counter if its name ends in `_total`, otherwise a gauge. A figure without a value is left out. */
type Figure = [name: string, help: string, value: number | null];

/** While the database does not respond, `shop_database_up` is 0 and the other facts about the shop are left out. */
export function createStateReader(
  info: Record<string, string>,
  readFacts: () => Promise<Facts>,
  { maxAgeMs, timeoutMs } = defaultTimes,
): () => Promise<Registry> {
  let latest: Promise<Facts | undefined> | undefined;
  async function refresh(): Promise<void> {
    latest = readFacts().catch(() => undefined);
    await latest;
    await setTimeout(maxAgeMs, undefined, { ref: false });
    latest = undefined;
  }

  return async () => {
    // Each read holds a connection: while the database hangs, start no second one.
    if (!latest) void refresh();
    const facts = await Promise.race([latest, setTimeout(timeoutMs, undefined, { ref: false })]);
    const registry = new Registry();
    const registers = [registry];
    const help = 'Version, engine and mode of this shop.';
    new Gauge({ name: 'shop_info', help, labelNames: Object.keys(info), registers }).set(info, 1);
    const figures: Figure[] = [
      ...listProcessFigures(),
      ['shop_database_up', 'Whether the database responds.', facts ? 1 : 0],
      ...(facts ? listFacts(facts) : []),
    ];
    for (const [name, help, value] of figures) {
      if (value === null) continue;
      const Metric = name.endsWith('_total') ? Counter : Gauge;
      new Metric({ name, help, registers }).inc(value);
    }
    return registry;
  };
}

function listProcessFigures(): Figure[] {
  const { user, system } = process.cpuUsage();
  const busySeconds = performance.eventLoopUtilization().active / 1000;
  return [
    ['process_cpu_seconds_total', 'User and system CPU time.', (user + system) / 1e6],
    ['nodejs_eventloop_active_seconds_total', 'Time during which the event loop was busy.', busySeconds],
    ['process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()],
    ['nodejs_heap_used_bytes', 'JavaScript heap in use.', process.memoryUsage().heapUsed],
    ['process_start_time_seconds', 'Start time of the process.', performance.timeOrigin / 1000],
  ];
}

function listFacts(facts: Facts): Figure[] {
  const { webhook, payments, orderRefunds, disputes, holds, errors, database, lastBackupAt } = facts;
  const lastWorkAt = facts.periodicWork.lastFinishedAt;
  const age = (at: string | null) => (at === null ? null : (Date.now() - Date.parse(at)) / 1000);
  return [
    ['shop_webhook_age_seconds', 'Time since the provider’s last signed event.', age(webhook.lastAt)],
    ['shop_payments_waiting', 'Open payments, counted up to 1000.', payments.open],
    ['shop_payments_unanswered', 'Open payments unanswered for ten minutes.', payments.unanswered],
    ['shop_payments_waiting_age_seconds', 'Age of the oldest open payment.', age(payments.oldestOpenAt)],
    [
      'shop_refunds_due',
      'Refunds that the provider has not accepted yet.',
      payments.refundsDue + orderRefunds.unsent,
    ],
    ['shop_refunds_pending', 'Pending refunds.', payments.refundsPending + orderRefunds.pending],
    ['shop_refunds_failed', 'Failed refunds.', payments.refundsFailed + orderRefunds.owed.length],
    ['shop_disputes_open', 'Undecided disputes, counted up to 10.', disputes.length],
    ['shop_payments_unknown', 'Payments at the provider that are not in the database.', payments.unknown],
    [
      'shop_payments_late',
      'Payments of expired orders to accept or refund, counted up to 10.',
      payments.late.length,
    ],
    ['shop_holds', 'Unpaid orders that hold stock, counted up to 1000.', holds.orders],
    ['shop_held_pieces', 'Pieces held by unpaid orders.', holds.pieces],
    ['shop_holds_overdue', 'Holds that should have ended ten minutes ago.', holds.overdue],
    ['shop_errors_last_day', 'Errors logged in the last day.', errors.count],
    ['shop_periodic_work_age_seconds', 'Time since the last periodic work.', age(lastWorkAt)],
    ['shop_database_bytes', 'Size of the database.', database.bytes],
    ['shop_backup_age_seconds', 'Time since the last backup.', age(lastBackupAt)],
  ];
}
