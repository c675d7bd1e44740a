import { createHmac } from 'node:crypto';
import type { StripeDatabase, StripeTables } from './tables.ts';

const retentionMs = 3 * 24 * 60 * 60 * 1000;
const responseTimeoutMs = 20_000;
/** Longer than the response timeout, so that a lease expires only if its process has died. */
const leaseMs = 30_000;
const maxPollIntervalMs = 30_000;

/**
 * Milliseconds before the next attempt. Stripe documents "up to three days with an exponential back off"
 * (https://docs.stripe.com/webhooks#retries) but no intervals; 5 minutes, 30 minutes, 3 hours and then every 12 hours
 * approximate them.
 */
const backoff = {
  quick: (attempts: number) => Math.min(1000 * 2 ** (attempts - 1), 60 * 60 * 1000),
  stripe: (attempts: number) => Math.min(5 * 60_000 * 6 ** (attempts - 1), 12 * 60 * 60 * 1000),
};
export type RetryPace = keyof typeof backoff;

interface Deliveries {
  /** Starts all due deliveries; called after each commit. */
  poll: () => void;
  setRetryPace: (pace: RetryPace) => void;
  close: () => Promise<void>;
}

/**
 * Delivers events to the webhook until it responds with 2xx, for at most three days. A row whose id does not start with
 * `evt_` is a pending change of an object: `finish` completes it. `due` is both the schedule and a lease: an attempt first
 * postpones it with one conditional statement,
 * so that only one of several processes sends the event. If the response is lost, the event is sent again, as Stripe does.
 */
export function startDeliveries(options: {
  db: StripeDatabase;
  secret: string;
  webhookUrl: () => string;
  deliver: (request: Request) => Promise<Response>;
  finish: (id: string) => Promise<void>;
}): Deliveries {
  const { db } = options;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let pace: RetryPace = 'quick';
  let isStarting = false;
  let isPollRequested = false;

  function run(work: Promise<void>): void {
    // If the database is unreachable, the next poll retries.
    const tracked: Promise<void> = work.catch(() => undefined).finally(() => running.delete(tracked));
    running.add(tracked);
  }

  function poll(): void {
    if (closing.signal.aborted) return;
    scheduleNext(maxPollIntervalMs);
    isPollRequested = true;
    if (!isStarting) run(startAllDue());
  }

  /** Must not run twice at once: both runs would read and compete for the same rows. */
  async function startAllDue(): Promise<void> {
    isStarting = true;
    try {
      while (isPollRequested && !closing.signal.aborted) {
        isPollRequested = false;
        await startDue();
      }
    } finally {
      isStarting = false;
    }
  }

  function scheduleNext(waitMs: number): void {
    clearTimeout(timer);
    if (!closing.signal.aborted) timer = setTimeout(poll, Math.min(waitMs, maxPollIntervalMs)).unref();
  }

  async function waitUntilNextDue(): Promise<void> {
    const next = await db
      .selectFrom('stripe_delivery')
      .select((row) => row.fn.min('due').as('due'))
      .executeTakeFirst();
    scheduleNext(Math.max(0, Number(next?.due ?? Infinity) - Date.now()));
  }

  async function startDue(): Promise<void> {
    const rows = await db
      .selectFrom('stripe_delivery')
      .selectAll()
      .where('due', '<=', Date.now())
      .orderBy('due')
      .limit(50)
      .execute();
    for (const row of rows) {
      const lease = Date.now() + leaseMs;
      const claim = await db
        .updateTable('stripe_delivery')
        .set({ due: lease, attempts: row.attempts + 1 })
        .where('event', '=', row.event)
        .where('due', '=', row.due)
        .executeTakeFirst();
      if (Number(claim.numUpdatedRows) === 1)
        run(attempt({ ...row, due: lease, attempts: row.attempts + 1 }));
    }
    await waitUntilNextDue();
  }

  async function attempt(claimed: StripeTables['stripe_delivery']): Promise<void> {
    if (!claimed.event.startsWith('evt_')) {
      await options.finish(claimed.event);
      return poll();
    }
    const accepted = await send(claimed.event).catch(() => false);
    if (accepted || Date.now() - Number(claimed.made) > retentionMs) {
      await db.deleteFrom('stripe_delivery').where('event', '=', claimed.event).execute();
      return;
    }
    await db
      .updateTable('stripe_delivery')
      .set({ due: Date.now() + backoff[pace](claimed.attempts) })
      .where('event', '=', claimed.event)
      .where('due', '=', claimed.due)
      .execute();
    await waitUntilNextDue();
  }

  async function send(event: string): Promise<boolean> {
    const row = await db
      .selectFrom('stripe_object')
      .select('body')
      .where('id', '=', event)
      .executeTakeFirstOrThrow();
    const payload = JSON.stringify(JSON.parse(row.body), null, 2);
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(responseTimeoutMs)]);
    const request = new Request(options.webhookUrl(), {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': sign(payload, options.secret),
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      },
      body: payload,
      signal,
    });
    // An in-process receiver may ignore the signal, so the wait is aborted here.
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const response = await Promise.race([options.deliver(request), aborted]);
    await response.body?.cancel();
    return response.ok;
  }

  return {
    poll,
    setRetryPace: (to) => {
      pace = to;
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** https://docs.stripe.com/webhooks#verify-manually */
function sign(payload: string, secret: string): string {
  const time = Math.floor(Date.now() / 1000);
  const digest = createHmac('sha256', secret).update(`${time}.${payload}`).digest('hex');
  return `t=${time},v1=${digest}`;
}
