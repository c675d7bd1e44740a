import { Notice } from '../components/feedback/notice.tsx';
import { ErrorSummary } from './error-summary.tsx';
import { useRejectedForm } from './use-rejected-form.ts';

/**
 * A form that is always a plain post, for pages that should load little script. After a rejected post, it shows the errors
 * and what was typed.
 */
export function usePostedForm(name: string, fields: readonly string[]) {
  const rejected = useRejectedForm(name);
  const errors = fields.flatMap((id) => {
    const message = rejected?.errors[id];
    return message ? [{ id, message }] : [];
  });
  return {
    isRejected: rejected !== undefined,
    /** The props of a `Field`; its name is its id. */
    field: (field: string, initial = '') => ({
      name: field,
      defaultValue: rejected?.values[field] ?? initial,
      error: rejected?.errors[field],
    }),
    messages: (
      <>
        <ErrorSummary errors={errors} submitCount={0} />
        {rejected?.root && (
          <Notice error noFocus>
            {rejected.root}
          </Notice>
        )}
      </>
    ),
  };
}
