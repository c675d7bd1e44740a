import type { RecordService } from '../../shop/shop.ts';

/** Long enough for a single lost response to be over, and short enough for Health to know within a minute. */
const firstCheckMs = 5000;
/** While payments fail, so that Health says when they work again although nobody buys anything. */
const checkIntervalMs = 60_000;

/**
 * Records an outage of the payment provider only once a call that checks it has failed, too, with the time of the first failure. A
 * single timeout, or one error of the provider, is no outage. Other services are recorded at once.
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
    // Its failure arrives at `recordService` first, and confirms the outage.
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
    /** Sets the call that checks the provider: the provider itself is created with `recordService`. */
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
