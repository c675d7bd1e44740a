import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { loadOnce } from '../config/load-once.ts';
import type { Database } from '../database/database.ts';
import { withLease } from '../database/lease.ts';
import {
  type AttemptResult,
  claimMail,
  dropMail,
  hasDueMail,
  type MailRow,
  recordAttempt,
} from './outbox.ts';
import { type Message, maxConnections, type Transport } from './transport.ts';

const pollMs = 250;
const minPauseMs = 5000;
const maxPauseMs = 5 * 60_000;
const stopTimeoutMs = 5000;
/** Above this many requests per second, customers come first: one worker sends, and pauses after every message that it sent. */
const maxRequestRate = 100;
const yieldMs = 500;
const measureMs = 200;
/** How long the process counts as busy after such a load. */
const busyForMs = 5000;

const notWritten: AttemptResult = {
  state: 'waiting',
  response: 'The message could not be written; see the log.',
};
const notOpened: AttemptResult = {
  state: 'waiting',
  response: 'The mail server could not be used; see the log.',
  problem: 'silent',
};

type Options = {
  database: Database;
  log: Logger;
  /** Opens the connections to the mail server. */
  openTransport: () => Promise<Transport>;
  /** Writes a row's message. Returns undefined if there is nothing left to report. */
  compose: (mail: MailRow) => Promise<Omit<Message, 'id'> | undefined>;
  /** The number of requests that the process has served. */
  countRequests: () => number;
  /** Called after each attempt to send a message. */
  onAttempt: (result: AttemptResult) => void;
};

export type Delivery = ReturnType<typeof createDelivery>;

/** Sends the outbox's due messages, in one process at a time. */
export function createDelivery({ database, log, openTransport, compose, countRequests, onAttempt }: Options) {
  const isBusy = createLoadMeter(countRequests);
  let stopped = false;
  let transport: Transport | undefined;
  const loadTransport = loadOnce(async () => (transport = await openTransport()));
  /** After a failure of the mail server, nothing is sent until this time. */
  let pausedUntil = 0;
  let pauseMs = minPauseMs;
  const inProgress = new Set<Promise<boolean>>();

  /** Returns whether there was anything to send. */
  async function sendClaimed(mail: MailRow): Promise<boolean> {
    const fields = { mail: mail.id, kind: mail.kind };
    const message = await compose(mail).catch((error: unknown) => {
      log.error({ ...fields, error }, 'a message could not be written');
      return 'error' as const;
    });
    if (!message) {
      await dropMail(database, mail);
      return false;
    }
    const result = message === 'error' ? notWritten : await send({ ...message, id: mail.id });
    if (message !== 'error') onAttempt(result);
    // Nothing of a deleted account is stored, not even this message.
    if (result.state === 'sent' && mail.kind === 'account deleted') await dropMail(database, mail);
    else await recordAttempt(database, mail, result);
    if (result.state === 'failed') log.warn(fields, 'a message was rejected');
    if (!result.problem) {
      pauseMs = minPauseMs;
    } else if (Date.now() >= pausedUntil) {
      log.warn(fields, 'the mail server is unavailable');
      pausedUntil = Date.now() + pauseMs;
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    }
    return true;
  }

  async function send(message: Message): Promise<AttemptResult> {
    const opened = await loadTransport().catch((error: unknown) => {
      log.error({ error }, 'the mail server could not be used');
    });
    return opened ? opened.send(message) : notOpened;
  }

  /**
   * While other workers are sending, a worker without a message looks for new ones. While the process is busy, only the first
   * worker runs. This worker returns once the load is over, so that the next check starts all workers.
   */
  async function runWorker(_: unknown, index: number): Promise<void> {
    while (!stopped && Date.now() >= pausedUntil) {
      if (index > 0 && isBusy()) return;
      const mail = await claimMail(database);
      if (mail) {
        const sending = sendClaimed(mail);
        inProgress.add(sending);
        const isSent = await sending.finally(() => inProgress.delete(sending));
        if (isSent && isBusy()) {
          await delay(yieldMs);
          if (!isBusy()) return;
        }
      } else if (inProgress.size > 0) await Promise.race([delay(pollMs), ...inProgress]);
      else return;
    }
  }

  return {
    async sendDue(): Promise<void> {
      if (Date.now() < pausedUntil || !(await hasDueMail(database))) return;
      await withLease(database, 'mail', async () => {
        // If one worker fails, the others still send: wait for them, too.
        const results = await Promise.allSettled(Array.from({ length: maxConnections }, runWorker));
        for (const result of results) if (result.status === 'rejected') throw result.reason;
      });
    },
    /** Lets the messages in progress finish, and starts no more. */
    stop(): void {
      stopped = true;
    },
    /** Closes the connections. A message in progress fails, and is sent again later. */
    async close(): Promise<void> {
      transport?.close();
    },
  };
}

/** Returns a function that reports whether the process has served many requests in the last few seconds. */
function createLoadMeter(countRequests: () => number): () => boolean {
  let [measuredAt, counted, busyUntil] = [performance.now(), countRequests(), 0];
  return () => {
    const now = performance.now();
    const elapsedMs = now - measuredAt;
    if (elapsedMs >= measureMs) {
      if (countRequests() - counted > (maxRequestRate * elapsedMs) / 1000) busyUntil = now + busyForMs;
      [measuredAt, counted] = [now, countRequests()];
    }
    return now < busyUntil;
  };
}

/** Checks for due messages regularly. Returns a function that stops the checks and gives messages in progress a few seconds. */
export function startDelivery(delivery: Delivery, log: Logger): () => Promise<void> {
  let running: Promise<void> | undefined;
  /** Only the first of consecutive failures is logged: during an outage of the database, every check fails. */
  let hasFailed = false;
  const send = async () => {
    try {
      await delivery.sendDue();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.error({ error }, 'mail could not be sent');
      hasFailed = true;
    }
  };
  const run = () => {
    running ??= send().finally(() => (running = undefined));
  };
  const timer = setInterval(run, pollMs).unref();
  return async () => {
    clearInterval(timer);
    delivery.stop();
    const timeout = setTimeout(() => void delivery.close(), stopTimeoutMs);
    await running;
    clearTimeout(timeout);
    await delivery.close();
  };
}
