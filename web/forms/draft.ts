import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError } from '../client/client.ts';
import { getSession } from '../client/session.ts';
import { fillField, findFilledFields, isField } from './dom-fields.ts';

/**
 * Saves a form's edited fields if the session has ended when it is submitted. Pass `ref` to the form and write
 * `if (await saveAndSignIn(error)) return;` in its `catch`: on a 401 it navigates to the sign-in page. When the same user
 * returns to the same URL, the form is filled in again (`restored`). The draft stays in this tab and never contains
 * passwords or files. A field with `data-draft="always"` belongs to the edited ones. `form` distinguishes the forms of one page.
 */
export function useDraft(email: string, form = '') {
  const ref = useRef<HTMLFormElement>(null);
  const initial = useRef<ReadonlyMap<Element, string>>(new Map());
  const [restored, setRestored] = useState(false);
  const navigate = useNavigate();
  useEffect(() => {
    const stored = sessionStorage.getItem(getStorageKey(form));
    sessionStorage.removeItem(getStorageKey(form));
    const draft: Draft | undefined = stored ? JSON.parse(stored) : undefined;
    const fields = [...(ref.current?.elements ?? [])].filter(isField);
    initial.current = new Map(fields.map((field) => [field, getDefault(field)]));
    if (draft?.email !== email) return;
    for (const [name, value] of draft.fields) {
      const field = fields.find((one) => one.name === name && (one.type !== 'radio' || one.value === value));
      if (field) fillField(field, value);
    }
    setRestored(true);
  }, [email, form]);

  async function saveAndSignIn(error: unknown): Promise<boolean> {
    if (!(error instanceof ApiError) || error.problem.status !== 401 || !ref.current) return false;
    // Restoring fields that were not edited would undo what others have saved in the meantime.
    const edited = findFilledFields(ref.current.elements).filter(
      (field) =>
        field.type !== 'password' &&
        (field.value !== initial.current.get(field) || field.dataset.draft === 'always'),
    );
    const draft: Draft = { email, fields: edited.map(({ name, value }) => [name, value]) };
    sessionStorage.setItem(getStorageKey(form), JSON.stringify(draft));
    getSession().clear();
    const from = encodeURIComponent(location.pathname + location.search);
    await navigate(`/login?from=${from}&reason=ended`);
    return true;
  }
  return { ref, restored, saveAndSignIn };
}

type Draft = { email: string; fields: [name: string, value: string][] };

/** For an unchecked radio button, a text that is never its value. */
const getDefault = (field: HTMLInputElement | HTMLTextAreaElement): string =>
  field instanceof HTMLInputElement && field.type === 'radio' && !field.defaultChecked
    ? ''
    : field.defaultValue;

const getStorageKey = (form: string) => `draft ${location.pathname} ${form}`;
