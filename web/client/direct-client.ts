import type { AskCall } from '../../contract/pages.ts';
import type { Problem } from '../../contract/problem.ts';
import { CallFailed, type Client } from './client.ts';

/** The client of pages that the server makes: the same calls, judged the same, and no HTTP between. */
export function createDirectClient(askCall: AskCall): Client {
  const ask: AskCall = (name, given) =>
    askCall(name, given).catch((problem: Problem) => {
      throw new CallFailed(problem);
    });
  return {
    call: async (name, given) => (await ask(name, given)).answer,
    list: async (name, given) => {
      const { answer, after } = await ask(name, given);
      return { rows: answer, after };
    },
  };
}
