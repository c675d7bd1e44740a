import { fillField, findFilledFields } from './forms/dom-fields.ts';

/**
 * Preserves what the user does before hydration: input, chosen files and a submitted form. Call the returned function right
 * before hydration to take a snapshot. It returns a second function, which replays the snapshot: call that right after hydration.
 */
export function capturePreHydrationInput() {
  let submitted: SubmitEvent | undefined;
  const captureSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    submitted = event;
  };
  document.addEventListener('submit', captureSubmit, true);

  return function snapshotInput(): () => void {
    const fields = findFilledFields(document.querySelectorAll('input, textarea'));
    const changedFields = fields.filter(
      ({ value, defaultValue, type }) => type === 'radio' || value !== defaultValue,
    );
    const values = changedFields.map(({ value }) => value);
    const fileFields = [...document.querySelectorAll<HTMLInputElement>('input[type=file]')];
    return () => {
      document.removeEventListener('submit', captureSubmit, true);
      // The browser preserves the chosen file, but React missed its event.
      for (const field of fileFields)
        if (field.files?.length) field.dispatchEvent(new Event('change', { bubbles: true }));
      changedFields.forEach((field, index) => {
        fillField(field, values[index] ?? '');
      });
      if (submitted?.target instanceof HTMLFormElement) submitted.target.requestSubmit(submitted.submitter);
    };
  };
}
