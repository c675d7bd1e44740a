import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { CallFailed } from './client.ts';
import { session } from './session.ts';

/**
 * Keeps what was typed where the session ends in the middle of a form: `ref` goes to the form, and its `catch` asks
 * `if (await leave(error)) return;`, which goes to sign in where that is why the form was refused. Back at the same
 * address the same person finds it filled (`restored`). It waits in this tab only; passwords and files never do.
 */
export function useDraft(email: string) {
  const ref = useRef<HTMLFormElement>(null);
  const [restored, setRestored] = useState(false);
  const navigate = useNavigate();
  useEffect(() => {
    const kept = sessionStorage.getItem(place());
    sessionStorage.removeItem(place());
    const draft: Draft | undefined = kept ? JSON.parse(kept) : undefined;
    if (!ref.current || draft?.email !== email) return;
    for (const [name, value] of draft.fields) fill(ref.current.elements.namedItem(name), value);
    setRestored(true);
  }, [email]);

  async function leave(error: unknown): Promise<boolean> {
    if (!(error instanceof CallFailed) || error.problem.status !== 401 || !ref.current) return false;
    const typed = [...ref.current.elements].filter(isTyped);
    const draft: Draft = { email, fields: typed.map(({ name, value }) => [name, value]) };
    sessionStorage.setItem(place(), JSON.stringify(draft));
    session().forget();
    const from = encodeURIComponent(location.pathname + location.search);
    await navigate(`/login?from=${from}&reason=ended`);
    return true;
  }
  return { ref, restored, leave };
}

type Draft = { email: string; fields: [name: string, value: string][] };
type Typed = HTMLInputElement | HTMLTextAreaElement;

const place = () => `draft ${location.pathname}`;

function isTyped(element: Element): element is Typed {
  if (element instanceof HTMLTextAreaElement) return true;
  if (!(element instanceof HTMLInputElement) || element.readOnly || !element.name) return false;
  return element.type === 'radio' ? element.checked : !['password', 'file', 'hidden'].includes(element.type);
}

/** Types into a field, so that whatever listens to it hears of it. */
function fill(field: Element | RadioNodeList | null, value: string): void {
  if (field instanceof RadioNodeList) {
    for (const choice of field)
      if (choice instanceof HTMLInputElement && choice.value === value) choice.click();
  } else if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    // The element's own setter is React's, which takes a value set through it for one that it knows.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
}
