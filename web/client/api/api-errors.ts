import { ApiError } from './client.ts';

/** The shop could not be reached: loading the page again would fail, too, and replace what the user has typed. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.status === 0;

/** The resource has changed since it was read: the 409 for a stale `version`. */
export const isEditConflict = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.problem.type === 'urn:problem:edit_conflict';
