import { expect } from 'vitest';
import type { Problem } from '../../contract/problem.ts';
import { ApiError } from '../../web/client/api/client.ts';

/** The problem that a call is rejected with. Fails the test if the call succeeds. */
export async function catchProblem(call: Promise<unknown>): Promise<Problem> {
  const reason: unknown = await call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );
  if (reason instanceof ApiError) return reason.problem;
  throw reason;
}
