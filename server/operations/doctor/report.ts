import { codeOf } from '../../database/errors.ts';
import { fetchWithin } from '../../http/outgoing.ts';

export type Report = ReturnType<typeof createReport>;

/** Prints each of the doctor's findings immediately, and counts them. */
export function createReport(print: (line: string) => void) {
  const counts = { ok: 0, warning: 0, error: 0 };
  /** How far other machines' clocks are ahead of ours, in milliseconds. */
  const clocks = new Map<string, number>();
  const write = (severity: keyof typeof counts, finding: string, advice?: string) => {
    counts[severity] += 1;
    print(`${severity.padEnd(9)}${finding}`);
    if (advice) print(`${' '.repeat(9)}→ ${advice}`);
  };
  return {
    counts,
    clocks,
    ok: (finding: string) => write('ok', finding),
    /** The shop works, but something deserves attention. */
    warn: (finding: string, advice: string) => write('warning', finding, advice),
    /** The shop does not work, or loses data. */
    error: (finding: string, advice: string) => write('error', finding, advice),
    /** Records another machine's clock (milliseconds, or a `date` header), read between `startedAt` and now. */
    recordClock(machine: string, time: number | string | null, startedAt: number) {
      const at = new Date(time ?? Number.NaN).getTime();
      if (Number.isFinite(at)) clocks.set(machine, at - (startedAt + Date.now()) / 2);
    },
  };
}

const maxShown = 5;

/** The first items of a list, and whether there are more. */
export const listFirst = (items: readonly string[]): string =>
  `${items.slice(0, maxShown).join(', ')}${items.length > maxShown ? ', …' : ''}`;

export const probeTimeoutMs = 5000;
const maxProbeBytes = 1_000_000;

/** Sends a request without following redirects. */
export const probe = (url: string, init: RequestInit = {}) =>
  attempt(
    fetchWithin({ timeoutMs: probeTimeoutMs, maxBytes: maxProbeBytes }, url, { redirect: 'manual', ...init }),
  );

/** The result of a request to another server, or the error with a short description. */
export const attempt = <T>(request: Promise<T>): Promise<{ value: T } | { failed: string; error: unknown }> =>
  request.then(
    (value) => ({ value }),
    (error: unknown) => ({ failed: describeFailure(error), error }),
  );

/**
 * The type of Stripe's error (https://docs.stripe.com/error-handling), or the network's error code, such as `ENOTFOUND`
 * or `CERT_HAS_EXPIRED`, without the request's details.
 */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response in ${probeTimeoutMs / 1000} seconds`;
  if ('type' in error && error.type && error.type !== 'StripeConnectionError') return String(error.type);
  // `fetch` wraps the original error as `cause`, Stripe's client as `detail`.
  let cause: unknown = error;
  while (cause instanceof Error && !codeOf(cause)) cause = 'detail' in cause ? cause.detail : cause.cause;
  return codeOf(cause) || error.message;
}
