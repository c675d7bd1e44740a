import { ApiError } from './client.ts';

/** The shop could not be reached: loading the page again would fail, too, and replace what the user has typed. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.status === 0;

/** The session has ended. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.status === 401;

/** Whether the response is the problem with this code. */
export const hasCode = (error: unknown, code: string): error is ApiError =>
  error instanceof ApiError && error.problem.type === `urn:problem:${code}`;

/** The resource has changed since it was read: the 409 for a stale `version`. */
export const isEditConflict = (error: unknown) => hasCode(error, 'edit_conflict');
