import { createHmac } from 'node:crypto';
import type { StripeDatabase, StripeTables } from './tables.ts';

const day = 24 * 60 * 60 * 1000;
const giveUpAfter = 3 * day;
const answerWithin = 20_000;
/** Longer than an answer may take: only a process that died leaves a delivery for this long. */
const leaseFor = 30_000;
const lookAtLeastEvery = 30_000;

/**
 * Milliseconds before the next attempt. Stripe documents "up to three days with an exponential back off"
 * (https://docs.stripe.com/webhooks#retries) and no steps; 5 minutes, 30 minutes, 3 hours and then every 12 hours
 * approximate it.
 */
const backoff = {
  quick: (attempts: number) => Math.min(1000 * 2 ** (attempts - 1), 60 * 60 * 1000),
  stripe: (attempts: number) => Math.min(5 * 60_000 * 6 ** (attempts - 1), 12 * 60 * 60 * 1000),
};
export type RetryPace = keyof typeof backoff;

interface Deliveries {
  /** Looks for what is due now; called after each commit. */
  poll: () => void;
  setRetryPace: (pace: RetryPace) => void;
  close: () => Promise<void>;
}

/**
 * Delivers events to the webhook until it responds with 2xx, for three days at most, and calls `finish` for rows that
 * are not events. `due` is both the schedule and
 * the lease: an attempt first moves it ahead by one conditional statement, so that of several processes one
 * sends. An answer that is lost means that the event comes twice, as with Stripe itself.
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

  function run(work: Promise<void>): void {
    // A database that is away is not the end: the next look comes by itself.
    const tracked: Promise<void> = work.catch(() => undefined).finally(() => running.delete(tracked));
    running.add(tracked);
  }

  function look(): void {
    if (closing.signal.aborted) return;
    sleep(lookAtLeastEvery);
    run(startDue());
  }

  function sleep(wait: number): void {
    clearTimeout(timer);
    if (!closing.signal.aborted) timer = setTimeout(look, Math.min(wait, lookAtLeastEvery)).unref();
  }

  async function sleepUntilNext(): Promise<void> {
    const next = await db
      .selectFrom('stripe_delivery')
      .select((row) => row.fn.min('due').as('due'))
      .executeTakeFirst();
    sleep(Math.max(0, Number(next?.due ?? Infinity) - Date.now()));
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
      const lease = Date.now() + leaseFor;
      const claim = await db
        .updateTable('stripe_delivery')
        .set({ due: lease, attempts: row.attempts + 1 })
        .where('event', '=', row.event)
        .where('due', '=', row.due)
        .executeTakeFirst();
      if (Number(claim.numUpdatedRows) === 1)
        run(attempt({ ...row, due: lease, attempts: row.attempts + 1 }));
    }
    await sleepUntilNext();
  }

  async function attempt(claimed: StripeTables['stripe_delivery']): Promise<void> {
    if (!claimed.event.startsWith('evt_')) {
      await options.finish(claimed.event);
      return look();
    }
    const taken = await send(claimed.event).catch(() => false);
    if (taken || Date.now() - Number(claimed.made) > giveUpAfter) {
      await db.deleteFrom('stripe_delivery').where('event', '=', claimed.event).execute();
      return;
    }
    await db
      .updateTable('stripe_delivery')
      .set({ due: Date.now() + backoff[pace](claimed.attempts) })
      .where('event', '=', claimed.event)
      .where('due', '=', claimed.due)
      .execute();
    await sleepUntilNext();
  }

  async function send(event: string): Promise<boolean> {
    const row = await db
      .selectFrom('stripe_object')
      .select('body')
      .where('id', '=', event)
      .executeTakeFirstOrThrow();
    const payload = JSON.stringify(JSON.parse(row.body), null, 2);
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(answerWithin)]);
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
    // An in-process receiver need not watch the signal, so the wait ends by it here.
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const answer = await Promise.race([options.deliver(request), ended]);
    await answer.body?.cancel();
    return answer.ok;
  }

  return {
    poll: look,
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
