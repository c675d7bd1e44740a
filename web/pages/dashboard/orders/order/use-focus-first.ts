import { type RefObject, useEffect } from 'react';

/**
 * Focuses a form's first field, or the one with the id `start`, when the form opens, because the link that opened it had the focus and
 * is gone.
 */
export function useFocusFirst(
  form: RefObject<HTMLFormElement | null>,
  isRejected: boolean,
  start?: string,
): void {
  useEffect(() => {
    if (isRejected) return;
    const first = form.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>(
      ':is(input, textarea):not([type=hidden], [hidden])',
    );
    const field = start === undefined ? first : document.getElementById(start);
    field?.focus();
    if (field === first) first?.select();
  }, [form, isRejected, start]);
}
