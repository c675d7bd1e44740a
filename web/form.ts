import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form';
import { config, type z } from 'zod';
import { CallFailed } from './client.ts';

// Zod would try whether it may compile code: the security policy refuses that, and the browser reports it.
config({ jitless: true });

/** Judges a form by a schema of the contract, so that the browser and the server say the same words. */
export function bySchema<Values extends FieldValues>(schema: z.ZodType<unknown, Values>): Resolver<Values> {
  return (values) => {
    const judged = schema.safeParse(values);
    if (judged.success) return { values, errors: {} };
    const errors: Record<string, { type: string; message: string }> = {};
    // The first thing that is wrong with a field is the one to say.
    for (const { path, message, code } of judged.error.issues)
      errors[path.join('.')] ??= { type: code, message };
    return { values: {}, errors: errors as FieldErrors<Values> };
  };
}

/** What to show of a refused call: messages for fields of the form, and otherwise a sentence. */
export function refusalOf(error: unknown): { fields: { field: string; message: string }[]; detail: string } {
  if (!(error instanceof CallFailed))
    return { fields: [], detail: 'That did not work. Try again in a moment.' };
  return { fields: error.problem.errors ?? [], detail: error.problem.detail };
}
