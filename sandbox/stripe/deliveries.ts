import { createHmac } from 'node:crypto';
import type { Database } from './tables.ts';

const day = 24 * 60 * 60 * 1000;
const giveUpAfter = 3 * day;
const answerWithin = 20_000;
/** Longer than an answer may take: only a process that died leaves a delivery for this long. */
const leaseFor = 30_000;
const lookAtLeastEvery = 30_000;

/** Milliseconds before the next attempt: 1 s, 2 s, 4 s, … up to an hour. */
const backoff = (attempts: number) => Math.min(1000 * 2 ** (attempts - 1), 60 * 60 * 1000);

export interface Deliveries {
  /** Looks for what is due now; called after each commit. */
  look: () => void;
  close: () => Promise<void>;
}

/**
 * Brings events to the webhook until it answers 2xx, for three days at most. `due` is both the schedule and
 * the lease: an attempt first moves it ahead by one conditional statement, so that of several processes one
 * sends. An answer that is lost means that the event comes twice, as with Stripe itself.
 */
export function startDeliveries(options: {
  db: Database;
  secret: string;
  webhookUrl: () => string;
  deliver: (request: Request) => Promise<Response>;
}): Deliveries {
  const { db } = options;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    if (closing.signal.aborted) return;
    // A database that is away is not the end: the next look comes by itself.
    const work = startDue().catch(() => sleep(lookAtLeastEvery));
    running.add(work);
    work.finally(() => running.delete(work));
  }

  async function startDue(): Promise<void> {
    const now = Date.now();
    const due = await db
      .selectFrom('stripe_delivery')
      .selectAll()
      .where('due', '<=', now)
      .orderBy('due')
      .orderBy('event')
      .limit(50)
      .execute();
    await Promise.all(due.map((row) => attempt(row)));
    const next = await db
      .selectFrom('stripe_delivery')
      .select((row) => row.fn.min('due').as('due'))
      .executeTakeFirst();
    sleep(Math.max(0, Number(next?.due ?? Infinity) - Date.now()));
  }

  function sleep(wait: number): void {
    clearTimeout(timer);
    if (closing.signal.aborted) return;
    timer = setTimeout(look, Math.min(wait, lookAtLeastEvery)).unref();
  }

  async function attempt(row: { event: string; made: number; due: number; attempts: number }): Promise<void> {
    const attempts = row.attempts + 1;
    const lease = Date.now() + leaseFor;
    const claim = await db
      .updateTable('stripe_delivery')
      .set({ due: lease, attempts })
      .where('event', '=', row.event)
      .where('due', '=', row.due)
      .executeTakeFirst();
    if (Number(claim.numUpdatedRows) !== 1) return;
    const taken = await send(row.event).catch(() => false);
    if (taken || Date.now() - Number(row.made) > giveUpAfter) {
      await db.deleteFrom('stripe_delivery').where('event', '=', row.event).execute();
      return;
    }
    await db
      .updateTable('stripe_delivery')
      .set({ due: Date.now() + backoff(attempts) })
      .where('event', '=', row.event)
      .where('due', '=', lease)
      .execute();
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
    look,
    async close() {
      closing.abort();
      clearTimeout(timer);
      await Promise.allSettled(running);
    },
  };
}

/** https://docs.stripe.com/webhooks#verify-manually */
function sign(payload: string, secret: string): string {
  const time = Math.floor(Date.now() / 1000);
  const digest = createHmac('sha256', secret).update(`${time}.${payload}`).digest('hex');
  return `t=${time},v1=${digest}`;
}
