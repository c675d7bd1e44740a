import { Counter, Histogram, Registry } from '@prometheus-io/client';
import type { RouteName } from '../../http/request-context.ts';
import type { BusinessEvent } from '../../shop/shop.ts';
import { registerProcessMetrics } from './process.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** The metric and the `outcome` label of each business event. */
const eventOutcomes = {
  'order placed': ['orders', 'placed'],
  'order deleted': ['orders', 'deleted'],
  'order expired': ['orders', 'expired'],
  'order shipped': ['orders', 'shipped'],
  'payment paid': ['payments', 'paid'],
  'payment cancelled': ['payments', 'cancelled'],
  'payment refund due': ['payments', 'refund_due'],
  'payment refunded': ['payments', 'refunded'],
  'payment refund failed': ['payments', 'refund_failed'],
} as const satisfies Record<BusinessEvent, [string, string]>;

export type StatementKind = 'read' | 'write' | 'commit' | 'other';

/** Half of all responses take less than a millisecond. */
const requestBucketsSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const statementBucketsSeconds = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** The metrics of this process. The registry is not the client's global one: tests run several shops in a process. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests, by call and status.',
    labelNames: ['call', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request headers to the end of the response, by call.',
    labelNames: ['call'],
    buckets: requestBucketsSeconds,
    registers,
  });
  const statements = new Histogram({
    name: 'database_statement_duration_seconds',
    help: 'Database statements, by kind. A commit waits for the disk.',
    labelNames: ['kind'],
    buckets: statementBucketsSeconds,
    registers,
  });
  const failures = new Counter({
    name: 'database_statement_failures_total',
    help: 'Database statements that failed.',
    registers,
  });
  const transactions = new Counter({
    name: 'database_transactions_total',
    help: 'Transactions requested. On SQLite several share one commit.',
    registers,
  });
  const outcomes = {
    orders: new Counter({
      name: 'shop_orders_total',
      help: 'Orders, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    payments: new Counter({
      name: 'shop_payments_total',
      help: 'Payments, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
  };
  // A series that starts at zero makes the first event visible as an increase.
  for (const [name, outcome] of Object.values(eventOutcomes)) outcomes[name].inc({ outcome }, 0);

  return {
    registry,
    /** `status` is 0 if the client disconnected before the response. */
    observeRequest({ call }: RouteName, status: number, seconds: number): void {
      requests.inc({ call, status: status === 0 ? 'none' : status });
      durations.observe({ call }, seconds);
    },
    observeStatement: (kind: StatementKind, seconds: number): void => statements.observe({ kind }, seconds),
    countFailedStatement: (): void => failures.inc(),
    countTransaction: (): void => transactions.inc(),
    count(event: BusinessEvent): void {
      const [name, outcome] = eventOutcomes[event];
      outcomes[name].inc({ outcome });
    },
    stop: registerProcessMetrics(registry),
  };
}
