type Field = HTMLInputElement | HTMLTextAreaElement;

export const isField = (element: Element): element is Field =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;

const isRadio = (field: Field): field is HTMLInputElement => field.type === 'radio';

/** The fields among these elements that somebody may have filled; of a choice the one that is made. No files. */
export function findFilled(elements: Iterable<Element>): Field[] {
  return [...elements]
    .filter(isField)
    .filter((field) => !field.readOnly && !['file', 'hidden'].includes(field.type))
    .filter((field) => !isRadio(field) || field.checked);
}

/** Types into a field, so that whatever listens to it hears of it. */
export function type(field: Field, value: string): void {
  if (isRadio(field)) {
    // A click changes nothing if the browser has already checked it.
    field.checked = false;
    field.click();
    return;
  }
  // React hears only of what it does not know: it is told of an empty field, and not of what follows.
  field.value = '';
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
