import { CallFailed } from '../client/client.ts';

/** What to show of a refused call: messages for fields of the form, and otherwise a sentence. */
export function refusalOf(error: unknown): { fields: { field: string; message: string }[]; detail: string } {
  if (!(error instanceof CallFailed))
    return { fields: [], detail: 'That did not work. Try again in a moment.' };
  return { fields: error.problem.errors ?? [], detail: error.problem.detail };
}
