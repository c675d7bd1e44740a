import { type RefObject, useEffect } from 'react';

/** Focuses a form's first field when it opens, because the link that opened it had the focus and is gone. */
export function useFocusFirst(form: RefObject<HTMLFormElement | null>, isRejected: boolean): void {
  useEffect(() => {
    if (isRejected) return;
    const first = form.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>(
      ':is(input, textarea):not([type=hidden], [hidden])',
    );
    first?.focus();
    first?.select();
  }, [form, isRejected]);
}
