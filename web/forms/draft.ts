import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { CallFailed } from '../client/client.ts';
import { session } from '../client/session.ts';
import { findFilled, isField, type } from './typed.ts';

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
    const fields = [...ref.current.elements].filter(isField);
    for (const [name, value] of draft.fields) {
      const field = fields.find((one) => one.name === name && (one.type !== 'radio' || one.value === value));
      if (field) type(field, value);
    }
    setRestored(true);
  }, [email]);

  async function leave(error: unknown): Promise<boolean> {
    if (!(error instanceof CallFailed) || error.problem.status !== 401 || !ref.current) return false;
    const typed = findFilled(ref.current.elements).filter(({ type }) => type !== 'password');
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

const place = () => `draft ${location.pathname}`;
