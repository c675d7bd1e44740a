import { findFilled, type } from './forms/typed.ts';

/**
 * A page can be typed into and its form sent before its script is there. The script would begin with empty fields:
 * `keep()`, just before it does, gives what types all of it again and sends the form, to be called just after.
 */
export function watchEarly() {
  let sent: EventTarget | null = null;
  const hold = (event: SubmitEvent) => {
    event.preventDefault();
    sent = event.target;
  };
  document.addEventListener('submit', hold, true);

  return function keep(): () => void {
    const fields = findFilled(document.querySelectorAll('input, textarea'));
    const typed = fields.filter(
      ({ value, defaultValue, type }) => type === 'radio' || value !== defaultValue,
    );
    const values = typed.map(({ value }) => value);
    const files = [...document.querySelectorAll<HTMLInputElement>('input[type=file]')];
    return () => {
      document.removeEventListener('submit', hold, true);
      // A chosen file stays chosen, but the script has missed its event.
      for (const field of files)
        if (field.files?.length) field.dispatchEvent(new Event('change', { bubbles: true }));
      typed.forEach((field, at) => {
        type(field, values[at] ?? '');
      });
      if (sent instanceof HTMLFormElement) sent.requestSubmit();
    };
  };
}
