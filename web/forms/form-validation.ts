import type { z } from 'zod';
import type { ValidationResult } from './form-results.ts';

/** Creates a `validate` function that reports the first error of each field. */
export function validateWith<Values>(
  schema: z.ZodType<Values>,
): (input: unknown) => ValidationResult<Values> {
  return (input) => {
    const result = schema.safeParse(input);
    if (result.success) return { values: result.data };
    const errors: Record<string, string> = {};
    for (const { path, message } of result.error.issues) errors[path.join('.')] ??= message;
    return { errors };
  };
}
