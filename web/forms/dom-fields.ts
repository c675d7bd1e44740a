type Field = HTMLInputElement | HTMLTextAreaElement;

export const isField = (element: Element): element is Field =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;

const isRadio = (field: Field): field is HTMLInputElement => field.type === 'radio';

/** The editable fields among these elements, except files; of radio buttons, only the checked one. */
export function findFilledFields(elements: Iterable<Element>): Field[] {
  return [...elements]
    .filter(isField)
    .filter((field) => !field.readOnly && !['file', 'hidden'].includes(field.type))
    .filter((field) => !isRadio(field) || field.checked);
}

/** Sets a field to its default; with a radio button, all of its group. */
export function resetField(field: Field): void {
  field.value = field.defaultValue;
  const group = field.form?.elements.namedItem(field.name);
  for (const choice of group instanceof RadioNodeList ? group : [field])
    if (choice instanceof HTMLInputElement) choice.checked = choice.defaultChecked;
}

/** Sets a field's value as if the user had typed it, so that event listeners run. */
export function fillField(field: Field, value: string): void {
  if (isRadio(field)) {
    // Clicking an already checked radio button fires no change event.
    field.checked = false;
    field.click();
    return;
  }
  // React ignores an input event if the field's value equals the last value that React has recorded. So first set another value
  // through React's setter, which records it, and then the real value through the prototype's setter, which React does not see.
  field.value = value === '' ? ' ' : '';
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
