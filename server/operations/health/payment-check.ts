import type { Database } from '../../database/database.ts';
import { findProviderProblem } from '../../shop/payments/stripe-client.ts';
import type { RecordService } from '../../shop/shop.ts';

/** Long enough to outlast a single lost response, and short enough for Health to report an outage within a minute. */
const firstCheckMs = 5000;
/**
 * How often the provider is checked while payments fail. So the Health page shows when payments work again even if nobody buys
 * anything.
 */
const checkIntervalMs = 60_000;
/** A single error may concern one payment only. */
const minFailures = 2;

/**
 * A single timeout or error is no outage. An outage of the payment provider is recorded only once a call that checks the
 * connection has failed as well. It is dated from the first failure.
 *
 * If the check succeeds, but the last two payments could not be started, that is an outage of new payments. It ends when a payment
 * is started. Outages of other services are recorded at once.
 */
export function createPaymentCheck(record: RecordService) {
  /** Makes a call to the provider, whose outcome reaches `recordService` like any other. */
  let check: () => Promise<unknown> = async () => undefined;
  /** The first failure since the provider last worked. */
  let failure: { since: number; isConfirmed: boolean } | undefined;
  /**
   * Payments that could not be started since a payment was last started. They are not counted during an outage of the provider,
   * which is recorded itself.
   */
  let unstarted: { since: number; problem: string; times: number; isRecorded: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | undefined;

  function schedule(ms: number): void {
    timer = setTimeout(() => {
      checking = runCheck();
    }, ms).unref();
  }

  async function runCheck(): Promise<void> {
    const current = failure;
    if (!current) return;
    const problem = await check().then(() => undefined, findProviderProblem);
    if (failure !== current) return;
    // An error of our own says nothing about the provider.
    if (problem !== undefined) {
      current.isConfirmed = true;
      unstarted = undefined;
      record('payments', problem, current.since);
    }
    schedule(checkIntervalMs);
  }

  function recordProvider(problem: string | undefined): void {
    if (problem === undefined) {
      clearTimeout(timer);
      failure = undefined;
      record('payments');
      if (unstarted && unstarted.times >= minFailures && !unstarted.isRecorded) {
        unstarted.isRecorded = true;
        record('new payments', unstarted.problem, unstarted.since);
      }
    } else if (!failure) {
      failure = { since: Date.now(), isConfirmed: false };
      schedule(firstCheckMs);
    } else if (failure.isConfirmed) record('payments', problem, failure.since);
  }

  function recordNewPayment(problem: string | undefined): void {
    if (problem === undefined) {
      unstarted = undefined;
      record('new payments');
    } else if (problem === 'refused') record('new payments', problem);
    // `recordProvider` has just recorded the same failure, and its check tells whether all calls fail or only those that start
    // payments.
    else if (!failure?.isConfirmed)
      unstarted = {
        since: unstarted?.since ?? Date.now(),
        problem,
        times: (unstarted?.times ?? 0) + 1,
        isRecorded: false,
      };
  }

  const recordService: RecordService = (service, problem) => {
    if (service === 'payments') recordProvider(problem);
    else if (service === 'new payments') recordNewPayment(problem);
    else record(service, problem);
  };

  return {
    recordService,
    /**
     * Sets the call that checks the provider. The provider is created with `recordService`, so the call is known only later.
     * Checks at once if an outage was recorded before the process started.
     */
    async start(call: () => Promise<unknown>, { db }: Pick<Database, 'db'>): Promise<void> {
      check = call;
      const outage = await db
        .selectFrom('outage')
        .select('since')
        .where('service', '=', 'payments')
        .executeTakeFirst();
      if (!outage || failure) return;
      failure = { since: outage.since, isConfirmed: true };
      schedule(0);
    },
    async stop(): Promise<void> {
      clearTimeout(timer);
      failure = undefined;
      await checking;
      clearTimeout(timer);
    },
  };
}
