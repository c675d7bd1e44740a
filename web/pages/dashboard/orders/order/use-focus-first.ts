import { type RefObject, useEffect } from 'react';

/** Focuses a form's first field when it opens: the link that opened it, and had the focus, is gone. */
export function useFocusFirst(form: RefObject<HTMLFormElement | null>, isRejected: boolean): void {
  useEffect(() => {
    if (!isRejected)
      form.current?.querySelector<HTMLElement>(':is(input, textarea):not([type=hidden], [hidden])')?.focus();
  }, [form, isRejected]);
}
