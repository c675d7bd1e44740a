import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError } from '../client/client.ts';
import { getSession } from '../client/session.ts';
import { fillField, findFilledFields, isField } from './dom-fields.ts';

/**
 * Saves a form's input if the session has ended when it is submitted. Pass `ref` to the form and write
 * `if (await saveAndSignIn(error)) return;` in its `catch`: on a 401 it navigates to the sign-in page. When the same user
 * returns to the same URL, the form is filled in again (`restored`). The draft stays in this tab and never contains
 * passwords or files. `form` distinguishes the forms of one page.
 */
export function useDraft(email: string, form = '') {
  const ref = useRef<HTMLFormElement>(null);
  const [restored, setRestored] = useState(false);
  const navigate = useNavigate();
  useEffect(() => {
    const stored = sessionStorage.getItem(getStorageKey(form));
    sessionStorage.removeItem(getStorageKey(form));
    const draft: Draft | undefined = stored ? JSON.parse(stored) : undefined;
    if (!ref.current || draft?.email !== email) return;
    const fields = [...ref.current.elements].filter(isField);
    for (const [name, value] of draft.fields) {
      const field = fields.find((one) => one.name === name && (one.type !== 'radio' || one.value === value));
      if (field) fillField(field, value);
    }
    setRestored(true);
  }, [email, form]);

  async function saveAndSignIn(error: unknown): Promise<boolean> {
    if (!(error instanceof ApiError) || error.problem.status !== 401 || !ref.current) return false;
    const filledFields = findFilledFields(ref.current.elements).filter(({ type }) => type !== 'password');
    const draft: Draft = { email, fields: filledFields.map(({ name, value }) => [name, value]) };
    sessionStorage.setItem(getStorageKey(form), JSON.stringify(draft));
    getSession().clear();
    const from = encodeURIComponent(location.pathname + location.search);
    await navigate(`/login?from=${from}&reason=ended`);
    return true;
  }
  return { ref, restored, saveAndSignIn };
}

type Draft = { email: string; fields: [name: string, value: string][] };

const getStorageKey = (form: string) => `draft ${location.pathname} ${form}`;
