import { add, type Family, makeFamily, type Numbers, observe, seriesOf } from './families.ts';
import type { Name } from './names.ts';
import { createProcessFamilies } from './process.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** What happens in the shop, one word each; `count` of `Shop` counts it. */
export type Counted = keyof typeof counted;

const orders = 'shop_orders_total';
const payments = 'shop_payments_total';
const counted = {
  'order placed': [orders, 'placed'],
  'order deleted': [orders, 'deleted'],
  'order expired': [orders, 'expired'],
  'order shipped': [orders, 'shipped'],
  'payment paid': [payments, 'paid'],
  'payment cancelled': [payments, 'cancelled'],
  'payment refund due': [payments, 'refund_due'],
  'payment refunded': [payments, 'refunded'],
  'payment refund failed': [payments, 'refund_failed'],
} as const;

/** What a statement does: reads, writes, ends a transaction, or anything else (begins one, marks a place in it). */
export type StatementKind = 'read' | 'write' | 'commit' | 'other';

/** In seconds. Half of all answers take less than a millisecond; nobody waits for one of ten. */
const requestBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const statementBounds = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Everything that one process counts. */
export function createMetrics() {
  const requests = makeFamily('counter', 'http_requests_total', 'Requests answered, by call and status.');
  const durations = makeFamily(
    'histogram',
    'http_request_duration_seconds',
    'From a request’s headers to the end of its answer, by call.',
    requestBounds,
  );
  const statements = makeFamily(
    'histogram',
    'database_statement_duration_seconds',
    'Statements in the database, by what they do; a commit waits for the disk.',
    statementBounds,
  );
  const failures = makeFamily('counter', 'database_statement_failures_total', 'Statements that failed.');
  const transactions = makeFamily(
    'counter',
    'database_transactions_total',
    'Transactions that were asked for; on SQLite several share one commit.',
  );
  const shop = {
    [orders]: makeFamily('counter', orders, 'Orders, by what became of them.'),
    [payments]: makeFamily('counter', payments, 'Payments, by what became of them.'),
  };
  // From the beginning, so that the first one is seen as a rise from nothing.
  for (const [name, outcome] of Object.values(counted)) seriesOf(shop[name], { outcome });
  const ofStatements = {
    read: seriesOf(statements, { kind: 'read' }),
    write: seriesOf(statements, { kind: 'write' }),
    commit: seriesOf(statements, { kind: 'commit' }),
    other: seriesOf(statements, { kind: 'other' }),
  };
  const failed = seriesOf(failures);
  const begun = seriesOf(transactions);
  const own = createProcessFamilies();

  /** By call: its durations, and its counts by status. */
  const asked = new Map<string, { took: Numbers; statuses: Map<number, Numbers> }>();

  return {
    /** `status` 0: whoever asked was gone before the answer. */
    request({ call }: Name, status: number, seconds: number): void {
      let ofCall = asked.get(call);
      if (!ofCall) {
        ofCall = { took: seriesOf(durations, { call }), statuses: new Map() };
        asked.set(call, ofCall);
      }
      let count = ofCall.statuses.get(status);
      if (!count) {
        count = seriesOf(requests, { call, status: status === 0 ? 'none' : `${status}` });
        ofCall.statuses.set(status, count);
      }
      add(count);
      observe(ofCall.took, requestBounds, seconds);
    },

    statement(kind: StatementKind, seconds: number): void {
      observe(ofStatements[kind], statementBounds, seconds);
    },
    statementFailed: (): void => add(failed),
    transaction: (): void => add(begun),

    count(what: Counted): void {
      const [name, outcome] = counted[what];
      add(seriesOf(shop[name], { outcome }));
    },

    /** All of it as it is now. `labels` tell this process's own state from that of the others beside it. */
    read(labels: Record<string, string> = {}): Family[] {
      return [
        ...[requests, durations, statements, failures, transactions, ...Object.values(shop)],
        ...own.read(labels),
      ];
    },
    stop: own.stop,
  };
}
