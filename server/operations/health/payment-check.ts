import type { RecordService } from '../../shop/shop.ts';

/** Long enough to outlast a single lost response, and short enough for Health to report an outage within a minute. */
const firstCheckMs = 5000;
/** While payments fail, so that Health shows when they work again even if nobody buys anything. */
const checkIntervalMs = 60_000;

/**
 * Records an outage of the payment provider, dated from the first failure, only once a call that checks the connection has failed as
 * well: a single timeout or error is no outage. Outages of other services are recorded at once.
 */
export function createPaymentCheck(record: RecordService) {
  /** Makes a call to the provider, whose result reaches `recordService` like any other. */
  let check: () => Promise<unknown> = async () => undefined;
  /** The first failure since the provider last worked. */
  let failure: { since: number; isConfirmed: boolean } | undefined;
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
    // Set before the call, because `recordService` gets its outcome before this function does.
    current.isConfirmed = true;
    await check().catch(() => undefined);
    // An error of our own says nothing about the provider.
    if (failure === current) schedule(checkIntervalMs);
  }

  const recordService: RecordService = (service, problem) => {
    if (service !== 'payments') return record(service, problem);
    if (problem === undefined) {
      clearTimeout(timer);
      failure = undefined;
      return record(service);
    }
    if (!failure) {
      failure = { since: Date.now(), isConfirmed: false };
      schedule(firstCheckMs);
    } else if (failure.isConfirmed) record(service, problem, failure.since);
  };

  return {
    recordService,
    /** Sets the call that checks the provider. Only known later, because the provider is created with `recordService`. */
    setCheck(call: () => Promise<unknown>): void {
      check = call;
    },
    async stop(): Promise<void> {
      clearTimeout(timer);
      failure = undefined;
      await checking;
      clearTimeout(timer);
    },
  };
}
