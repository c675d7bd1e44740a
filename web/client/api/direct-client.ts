import type { PageCall } from '../../../contract/pages.ts';
import type { Problem } from '../../../contract/problem.ts';
import { ApiError, type Client } from './client.ts';

/** Makes calls in the same process, which throw `ApiError`. */
export function createDirectCall(call: PageCall): PageCall {
  // A signal cannot be sent to another thread.
  return (name, { signal: _, ...args }) =>
    call(name, args).catch((problem: Problem) => {
      throw new ApiError(problem);
    });
}

/** A client for server rendering. Calls run in the same process, with the same validation and access checks. */
export function createDirectClient(call: PageCall): Client {
  const callOrThrow = createDirectCall(call);
  return {
    call: async (name, args) => (await callOrThrow(name, args)).answer,
    list: async (name, args) => {
      const { answer, after } = await callOrThrow(name, args);
      return { rows: answer, after };
    },
  };
}
