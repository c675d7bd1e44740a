import { ApiError } from '../../web/client/api/client.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';

/** A response's value, the status of a rejection, or undefined if no response arrived. */
export type Outcome<T> = { value: T } | { rejected: number } | undefined;

/**
 * Rejections that the load causes: a declined card, a product or order that is gone, sold out or paid, a rejection by the
 * provider, too many requests.
 */
const expectedStatuses = [400, 402, 404, 409, 429];

/**
 * Sends a request and records the outcome in the ledger. Any rejection is a violation, unless its status is one of those above or
 * `isExpected`.
 */
export async function attempt<T>(
  ledger: Ledger,
  name: string,
  work: () => Promise<T>,
  isExpected: (status: number) => boolean = () => false,
): Promise<Outcome<T>> {
  try {
    const value = await work();
    ledger.answered += 1;
    ledger.succeeded.add(name);
    return { value };
  } catch (error) {
    if (error instanceof ApiError && error.problem.status >= 400) {
      const { status, type, detail } = error.problem;
      ledger.rejected.set(type, (ledger.rejected.get(type) ?? 0) + 1);
      if (status === 503 && ledger.hasOutages) return undefined;
      // This problem is expected if a killed process has used the same key for a request to the provider, or the test makes the
      // provider fail.
      const isProviderProblem = type === 'urn:problem:provider_unreachable';
      if (!expectedStatuses.includes(status) && !isExpected(status) && !isProviderProblem)
        ledger.violations.push(`${name}: ${status} ${detail}`);
      return { rejected: status };
    }
    // An interrupted response counts as no response.
    ledger.unanswered += 1;
    return undefined;
  }
}

/** Sends a request, at times twice at once, as after a double click. The outcome is a success if there is one. */
export async function attemptOften<T>(
  { random, ledger }: { random: Random; ledger: Ledger },
  name: string,
  work: () => Promise<T>,
  isExpected?: (status: number) => boolean,
): Promise<Outcome<T>> {
  const count = random.chance(0.3) ? 2 : 1;
  const outcomes = await Promise.all(
    Array.from({ length: count }, () => attempt(ledger, name, work, isExpected)),
  );
  return outcomes.find((outcome) => outcome && 'value' in outcome) ?? outcomes[0];
}
