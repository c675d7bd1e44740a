import { isRouteErrorResponse } from 'react-router';
import type { Problem } from '../contract/problem.ts';
import { ApiError } from './client/api/client.ts';

/** The errors of a page's routes, serialized for hydration. */
export type SerializedErrors = Record<string, Problem>;

const unexpectedProblem: Problem = {
  type: 'urn:problem:internal',
  title: 'Something went wrong',
  status: 500,
  detail: 'The page could not be shown. This is not your fault; try again in a moment.',
  requestId: '',
};

/** The problem to show for a route's error. Unexpected errors reveal no details. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  if (isRouteErrorResponse(error))
    return { ...unexpectedProblem, status: error.status, title: error.statusText };
  return unexpectedProblem;
}

export function deserializeErrors(serialized: SerializedErrors | undefined): Record<string, ApiError> | null {
  if (!serialized) return null;
  return Object.fromEntries(
    Object.entries(serialized).map(([route, problem]) => [route, new ApiError(problem)]),
  );
}
