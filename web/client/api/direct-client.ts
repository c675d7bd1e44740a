import type { CallArguments, PageCall } from '../../../contract/pages.ts';
import type { PageCallName } from '../../../contract/paths.ts';
import type { Problem } from '../../../contract/problem.ts';
import { ApiError, type Client } from './client.ts';

/** A client for server rendering. Calls run in the same process, with the same validation and access checks. */
export function createDirectClient(call: PageCall): Client {
  // A signal cannot be sent to another thread.
  const callOrThrow = <Name extends PageCallName>(name: Name, { signal: _, ...args }: CallArguments) =>
    call(name, args).catch((problem: Problem) => {
      throw new ApiError(problem);
    });
  return {
    call: async (name, args) => (await callOrThrow(name, args)).answer,
    list: async (name, args) => {
      const { answer, after } = await callOrThrow(name, args);
      return { rows: answer, after };
    },
  };
}
