export const probeTimeoutMs = 5000;

/** Sends a request without following redirects. `failed` is why there is no response. */
export async function probe(
  url: string,
  init: RequestInit = {},
): Promise<{ response: Response } | { failed: string }> {
  try {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    return { response: await fetch(url, { redirect: 'manual', signal, ...init }) };
  } catch (error) {
    return { failed: describeFailure(error) };
  }
}

/** The network's error code, such as `ENOTFOUND` or `CERT_HAS_EXPIRED`, without the request's details. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response in ${probeTimeoutMs / 1000} seconds`;
  // `fetch` wraps the original error as `cause`, Stripe's client as `detail`.
  for (
    let cause: unknown = error;
    cause instanceof Error;
    cause = 'detail' in cause ? cause.detail : cause.cause
  )
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return error.message;
}
