import { isRouteErrorResponse } from 'react-router';
import type { Problem } from '../contract/problem.ts';
import { CallFailed } from './client/client.ts';

/** The errors of a page's routes on their way from the server to the browser: a problem each. */
export type SentErrors = Record<string, Problem>;

const unforeseen: Problem = {
  type: 'urn:problem:internal',
  title: 'Something went wrong',
  status: 500,
  detail: 'The page could not be made. It is not your doing; try again in a moment.',
  requestId: '',
};

/** What a route's error is to the visitor. Anything that nobody foresaw says no more than that. */
export function problemOf(error: unknown): Problem {
  if (error instanceof CallFailed) return error.problem;
  if (isRouteErrorResponse(error)) return { ...unforeseen, status: error.status, title: error.statusText };
  return unforeseen;
}

export function readErrors(sent: SentErrors | undefined): Record<string, CallFailed> | null {
  if (!sent) return null;
  return Object.fromEntries(Object.entries(sent).map(([route, problem]) => [route, new CallFailed(problem)]));
}
