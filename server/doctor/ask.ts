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
