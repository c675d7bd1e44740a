import type { z } from 'zod';
import type { Judged } from './shop-form.ts';

/** Validates with a schema; reports the first error of each field. */
export function judgeBy<Values>(schema: z.ZodType<Values>): (typed: unknown) => Judged<Values> {
  return (typed) => {
    const judged = schema.safeParse(typed);
    if (judged.success) return { values: judged.data };
    const errors: Record<string, string> = {};
    for (const { path, message } of judged.error.issues) errors[path.join('.')] ??= message;
    return { errors };
  };
}
