import { expect } from 'vitest';
import type { Problem } from '../../contract/problem.ts';
import { ApiError } from '../../web/client/client.ts';

/** The problem that a call is refused with; fails the test where it is let through. */
export async function refusal(call: Promise<unknown>): Promise<Problem> {
  const reason: unknown = await call.then(
    () => expect.unreachable('the call was not refused'),
    (error: unknown) => error,
  );
  if (reason instanceof ApiError) return reason.problem;
  throw reason;
}
