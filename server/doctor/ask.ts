import type { Report } from './report.ts';

/** Whoever has not answered in this many milliseconds is away. */
export const patience = 5000;

/** An answer, or in a few words why there is none. */
export type Asked = { response: Response } | { failed: string };

/** Asks, and follows no redirect. */
export async function ask(url: string, init: RequestInit = {}): Promise<Asked> {
  try {
    const signal = AbortSignal.timeout(patience);
    return { response: await fetch(url, { redirect: 'manual', signal, ...init }) };
  } catch (error) {
    return { failed: reasonOf(error) };
  }
}

/** As `ask`, of somebody else's server, whose clock is noted. */
export async function askOther(
  whose: string,
  url: string,
  report: Report,
  init?: RequestInit,
): Promise<Asked> {
  const began = Date.now();
  const asked = await ask(url, init);
  if ('response' in asked)
    report.sawClock(whose, Date.parse(asked.response.headers.get('date') ?? ''), began);
  return asked;
}

/** What the network says, without what was asked: `ENOTFOUND`, `CERT_HAS_EXPIRED`, or that nobody answered. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer in ${patience / 1000} seconds`;
  // It lies beneath: `fetch` calls it the cause, Stripe's client the detail.
  for (
    let cause: unknown = error;
    cause instanceof Error;
    cause = 'detail' in cause ? cause.detail : cause.cause
  )
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return error.message;
}

/** Which of the errors of Stripe's client it is (https://docs.stripe.com/error-handling). */
export function typeOf(error: unknown): string | undefined {
  return error instanceof Error && 'type' in error && typeof error.type === 'string' ? error.type : undefined;
}
