import { Counter, Histogram, Registry } from '@prometheus-io/client';
import type { DatabaseObserver } from '../../database/database.ts';
import type { RouteName } from '../../http/request-context.ts';
import { type BusinessEvent, businessEvents } from '../../shop/shop.ts';

/** The `kind` label of each of Kysely's statements; all others are `commit` or `other`. */
const statementKinds: Partial<Record<string, string>> = {
  SelectQueryNode: 'read',
  InsertQueryNode: 'write',
  UpdateQueryNode: 'write',
  DeleteQueryNode: 'write',
};

const delayIntervalMs = 100;

/** The metrics of this process. The registry is not the client's global one: tests run several shops in a process. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const addCounter = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers });
  const addHistogram = <Label extends string = never>(
    name: string,
    help: string,
    bucketsSeconds: number[],
    ...labelNames: Label[]
  ) => new Histogram<Label>({ name, help, buckets: bucketsSeconds, labelNames, registers });

  const requests = addCounter('http_requests_total', 'Requests, by call and status.', 'call', 'status');
  const durations = addHistogram(
    'http_request_duration_seconds',
    'Time from the request headers to the end of the response, by call.',
    // Half of all responses take less than a millisecond.
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    'call',
  );
  const statements = addHistogram(
    'database_statement_duration_seconds',
    'Database statements, by kind. A commit waits for the disk.',
    [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    'kind',
  );
  const failures = addCounter('database_statement_failures_total', 'Database statements that failed.');
  const transactions = addCounter(
    'database_transactions_total',
    'Transactions requested. On SQLite several share one commit.',
  );
  const orders = addCounter('shop_orders_total', 'Orders, by outcome.', 'outcome');
  const payments = addCounter('shop_payments_total', 'Payments, by outcome.', 'outcome');
  /** `payment refund due` is the outcome `refund_due` of a payment. */
  const countEvent = (event: BusinessEvent, times = 1) => {
    const [noun, ...words] = event.split(' ');
    (noun === 'order' ? orders : payments).inc({ outcome: words.join('_') }, times);
  };
  // A series that starts at zero makes the first event visible as an increase.
  for (const event of businessEvents) countEvent(event, 0);

  const delays = addHistogram(
    'nodejs_eventloop_delay_seconds',
    'How late a timer fired, measured ten times a second.',
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  );
  let due = performance.now() + delayIntervalMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - due) / 1000);
    due = now + delayIntervalMs;
  }, delayIntervalMs).unref();

  const observeStatement: DatabaseObserver['onQuery'] = ({ query: { query, sql }, began, ended, error }) => {
    const kind = statementKinds[query.kind] ?? (sql === 'commit' ? 'commit' : 'other');
    statements.observe({ kind }, (ended - began) / 1000);
    if (error !== undefined) failures.inc();
  };

  return {
    registry,
    /** `status` is 0 if the client disconnected before the response; `began` is a time of `performance.now()`. */
    observeRequest({ call }: RouteName, status: number, began: number): void {
      requests.inc({ call, status: status === 0 ? 'none' : status });
      durations.observe({ call }, (performance.now() - began) / 1000);
    },
    observeStatement,
    countTransaction: (): void => transactions.inc(),
    countEvent,
    stop: (): void => clearInterval(timer),
  };
}
