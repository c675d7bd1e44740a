import { ShopError } from '../../../contract/errors.ts';
import type { Shop } from '../shop.ts';
import { isOutage, isOwnFailure } from './stripe-client.ts';

/** Does one step of a run, for the object `id`. Logs a failure. If the provider does not answer, throws, which ends the run. */
export type Attempt = (kind: string, id: string, work: () => Promise<unknown>) => Promise<void>;

/**
 * The attempts of one run. `unanswered` names the steps that got no answer in earlier runs, the least recent first. These steps are
 * postponed until `doPostponed`, so that an object whose call always times out does not hold up all other objects.
 */
export function createAttempts({ log }: Pick<Shop, 'log'>, unanswered: Set<string>) {
  const postponed = new Map<string, () => Promise<void>>();
  let isPostponing = true;
  let hasEnded = false;

  const attempt: Attempt = async (kind, id, work) => {
    const key = `${kind} ${id}`;
    if (isPostponing && unanswered.has(key)) {
      postponed.set(key, () => attempt(kind, id, work));
      return;
    }
    try {
      await work();
    } catch (error) {
      if (isOutage(error)) {
        // Attempts may be nested: the innermost one got no answer, and the outer ones only pass the error on.
        if (!hasEnded) unanswered.add(key);
        hasEnded = true;
        throw error;
      }
      const level = error instanceof ShopError && !isOwnFailure(error) ? 'info' : 'error';
      log[level]({ part: kind, id, error }, 'reconciliation failed; the next run tries again');
    }
  };

  /** Runs the postponed steps, at the end of a run. Forgets unanswered steps that this run did not have. */
  async function doPostponed(signal: AbortSignal | undefined): Promise<void> {
    isPostponing = false;
    for (const key of [...unanswered]) {
      if (signal?.aborted) return;
      unanswered.delete(key);
      await postponed.get(key)?.();
    }
  }

  return { attempt, doPostponed };
}
