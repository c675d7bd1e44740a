import type { AskCall } from '../../contract/pages.ts';
import type { Problem } from '../../contract/problem.ts';
import { CallFailed, type Client } from './client.ts';

/** A client for server rendering. Calls run in the same process, with the same validation and access checks. */
export function createDirectClient(askCall: AskCall): Client {
  const callOrThrow: AskCall = (name, given) =>
    askCall(name, given).catch((problem: Problem) => {
      throw new CallFailed(problem);
    });
  return {
    call: async (name, given) => (await callOrThrow(name, given)).answer,
    list: async (name, given) => {
      const { answer, after } = await callOrThrow(name, given);
      return { rows: answer, after };
    },
  };
}
