import { expect } from 'vitest';
import type { Problem } from '../../contract/problem.ts';
import { CallFailed } from '../../web/client/client.ts';

/** The problem that a call is refused with; fails the test where it is let through. */
export async function refusal(call: Promise<unknown>): Promise<Problem> {
  const reason: unknown = await call.then(
    () => expect.unreachable('the call was not refused'),
    (error: unknown) => error,
  );
  if (reason instanceof CallFailed) return reason.problem;
  throw reason;
}
