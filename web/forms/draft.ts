import { useCallback, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { isRecordedUser } from '../client/account-changes.ts';
import { signInAgain } from '../client/route-access.ts';
import { getSession } from '../client/session.ts';
import { fillField, findFilledFields, isField } from './dom-fields.ts';

/**
 * Saves a form's edited fields as a draft, so that an ended session loses no input. Pass `ref` to the form. After a 401, call
 * `signIn`, which saves the draft and navigates to the sign-in page. The draft is also saved when the user leaves the page after
 * the session has ended or another window has signed in as another user. When the same user returns to the same URL, the form is
 * filled in again (`restored`).
 *
 * The draft stays in this tab and never contains passwords or files. A field with `data-draft="always"` is saved with every
 * draft, even if it was not edited. `form` identifies the draft if a page has several forms, or one form for several things,
 * such as each of the user's reviews.
 *
 * `keep` saves the fields whenever the user leaves the page; when they return, `isKept` is set. Without an email address, nothing
 * is saved.
 */
export function useDraft(email: string | undefined, form = '') {
  const ref = useRef<HTMLFormElement>(null);
  const initial = useRef<ReadonlyMap<Element, string>>(new Map());
  /** The form has a `KeptInput`, which saves the fields whenever the page is left. */
  const keepsInput = useRef(false);
  /** The user has cancelled, so nothing is kept. */
  const isCancelled = useRef(false);
  const [restored, setRestored] = useState(false);
  const [isKept, setIsKept] = useState(false);
  const navigate = useNavigate();
  useEffect(() => {
    if (email === undefined) return;
    const key = getStorageKey(email, form);
    const stored = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    const draft: Draft | undefined = stored ? JSON.parse(stored) : undefined;
    const fields = [...(ref.current?.elements ?? [])].filter(
      (element) => isField(element) || element instanceof HTMLSelectElement,
    );
    initial.current = new Map(fields.map((field) => [field, getDefault(field)]));
    if (!draft) return;
    for (const [name, value] of draft.fields) {
      const field = fields.find((one) => one.name === name && (one.type !== 'radio' || one.value === value));
      if (field) restore(field, value);
    }
    setRestored(true);
    setIsKept(draft.isKept);
  }, [email, form]);

  async function signIn(): Promise<void> {
    const typed = ref.current ? listTyped(ref.current, initial.current) : [];
    if (ref.current && email !== undefined) store(getStorageKey(email, form), ref.current, typed);
    await signInAgain(navigate);
  }

  useEffect(() => {
    if (email === undefined) return;
    const element = ref.current;
    const key = getStorageKey(email, form);
    const save = () => {
      if (!element || keepsInput.current || !isReplaced(email)) return;
      const fields = listTyped(element, initial.current);
      if (fields.length > 0) store(key, element, fields);
    };
    addEventListener('pagehide', save);
    return () => {
      removeEventListener('pagehide', save);
      save();
    };
  }, [email, form]);

  /** Call it while the page is shown. It returns a function that saves the edited fields; call that when the user leaves the page. */
  const keep = useCallback(
    (element: HTMLFormElement) => {
      const key = getStorageKey(email ?? '', form);
      keepsInput.current = true;
      return () => {
        const fields = isCancelled.current ? [] : listEdited(element);
        if (fields.length > 0) store(key, element, fields, true);
      };
    },
    [email, form],
  );
  /** Call it once the input has been sent. */
  const end = useCallback(() => {
    setRestored(false);
    setIsKept(false);
  }, []);
  /** Call it before the user leaves the page by a Cancel link. */
  const cancel = useCallback(() => {
    isCancelled.current = true;
  }, []);
  return { ref, restored, isKept, signIn, keep, end, cancel };
}

/** Whether this user's session has ended, or another window has signed in as another user. */
export function isReplaced(email: string): boolean {
  const viewer = getSession().viewer();
  return viewer?.email !== email || !isRecordedUser(viewer);
}

type DraftField = ReturnType<typeof findFilledFields>[number] | HTMLSelectElement;
type DraftFields = [name: string, value: string][];
type Draft = { fields: DraftFields; isKept: boolean };

function store(key: string, form: HTMLFormElement, edited: DraftFields, isKept = false): void {
  const draft: Draft = { fields: [...edited, ...listFields(form, isAlwaysKept)], isKept };
  if (draft.fields.length === 0) return;
  sessionStorage.setItem(key, JSON.stringify(draft));
}

const listFields = (form: HTMLFormElement, isIncluded: (field: DraftField) => boolean): DraftFields =>
  [...findFilledFields(form.elements), ...form.querySelectorAll('select')]
    .filter((field) => field.name !== '' && field.type !== 'password' && isIncluded(field))
    .map((field) => [field.name, readValue(field)]);

/** Restoring fields that were not edited would undo what others have saved in the meantime. */
const listTyped = (form: HTMLFormElement, initial: ReadonlyMap<Element, string>): DraftFields =>
  listFields(form, (field) => readValue(field) !== initial.get(field) && !isAlwaysKept(field));

/** The fields that differ from their default values. The defaults are what the shop has stored. */
export const listEdited = (form: HTMLFormElement): DraftFields =>
  listFields(form, (field) => readValue(field) !== getDefault(field) && !isAlwaysKept(field));

const isAlwaysKept = (field: DraftField): boolean => field.dataset.draft === 'always';

const isCheckbox = (field: DraftField): field is HTMLInputElement => field.type === 'checkbox';

/** A field's value; 'true' or 'false' for a checkbox. */
const readValue = (field: DraftField): string => (isCheckbox(field) ? String(field.checked) : field.value);

function restore(field: DraftField, value: string): void {
  if (field instanceof HTMLSelectElement) {
    // The list may no longer have this option.
    if (![...field.options].some((option) => option.value === value)) return;
    field.value = value;
    field.dispatchEvent(new Event('change', { bubbles: true }));
  } else if (!isCheckbox(field)) fillField(field, value);
  else if (readValue(field) !== value) field.click();
}

/**
 * The field's default, as `readValue` returns it. For an unchecked radio button, that is '', which no radio button has as its
 * value.
 */
function getDefault(field: DraftField): string {
  if (field instanceof HTMLSelectElement)
    return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value ?? '';
  if (isCheckbox(field)) return String(field.defaultChecked);
  return field.type === 'radio' && field instanceof HTMLInputElement && !field.defaultChecked
    ? ''
    : field.defaultValue;
}

/** Another user of this tab has drafts of their own. */
const getStorageKey = (email: string, form: string) => `draft ${email} ${location.pathname} ${form}`;
