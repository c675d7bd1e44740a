import type { FieldErrors, FieldValues, Path, UseFormReturn } from 'react-hook-form';
import { refusalOf } from './form.ts';

/** Shows what was refused at the form: under the fields that are named, and where none of ours is, over it. */
export function showRefusal<Values extends FieldValues>(form: UseFormReturn<Values>, error: unknown): void {
  const { fields, detail } = refusalOf(error);
  const isOurs = (field: string): field is Path<Values> => field in form.getValues();
  const ours = fields.filter(({ field }) => isOurs(field));
  for (const { field, message } of ours) if (isOurs(field)) form.setError(field, { message });
  if (ours.length === 0) form.setError('root', { message: detail });
}

/** What is wrong, for an `ErrorSummary`: the fields in the order of the form; their ids are their names. */
export function listErrors(errors: FieldErrors, fields: string[]): { id: string; message: string }[] {
  return fields.flatMap((id) => {
    const message = errors[id]?.message;
    return typeof message === 'string' ? [{ id, message }] : [];
  });
}
