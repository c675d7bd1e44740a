import type { z } from 'zod';
import type { ValidationResult } from './shop-form.ts';

/**
 * Like `validateWith`, for a form with a `version`: in the browser that of the page as it is shown now, which may have been loaded
 * again since the form was opened. A plain post has a hidden field.
 */
export const validateVersioned = <Values>(schema: z.ZodType<Values>, version: number | undefined) => {
  const validate = validateWith(schema);
  return (input: unknown) =>
    validate(typeof input === 'object' && input !== null ? { version, ...input } : input);
};

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
