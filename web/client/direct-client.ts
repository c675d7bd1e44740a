import type { PageCall } from '../../contract/pages.ts';
import type { Problem } from '../../contract/problem.ts';
import { ApiError, type Client } from './client.ts';

/** A client for server rendering. Calls run in the same process, with the same validation and access checks. */
export function createDirectClient(askCall: PageCall): Client {
  const callOrThrow: PageCall = (name, given) =>
    askCall(name, given).catch((problem: Problem) => {
      throw new ApiError(problem);
    });
  return {
    call: async (name, given) => (await callOrThrow(name, given)).answer,
    list: async (name, given) => {
      const { answer, after } = await callOrThrow(name, given);
      return { rows: answer, after };
    },
  };
}
