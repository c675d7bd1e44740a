import { useEffect, useRef } from 'react';
import { continueEvent } from '../client/account-changes.ts';
import { Notice } from '../components/feedback/notice.tsx';
import { isReplaced, listEdited, type useDraft } from './draft.ts';

type Props = {
  /** Whether the input is being sent or has been sent. After an edit, the input counts as unsaved until this changes again. */
  isSent: boolean;
  draft: ReturnType<typeof useDraft>;
  /** The email address of the user who types. */
  email: string;
  /** Shows no notice, because the form itself marks the kept input. */
  isQuiet?: boolean;
};

/** Keeps unsaved input for the next visit, and asks before the window is closed. */
export function KeptInput({ isSent, draft, email, isQuiet = false }: Props) {
  const { ref, keep, isKept } = draft;
  /** Whether the input need not be kept. A ref, because an edit must take effect before the next rendering. */
  const isSafe = useRef(false);
  useEffect(() => {
    isSafe.current = isSent;
  }, [isSent]);

  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const keepInput = keep(element);
    const edit = () => {
      isSafe.current = false;
    };
    const ask = (event: BeforeUnloadEvent) => {
      if (!isSafe.current && listEdited(element).length > 0) event.preventDefault();
    };
    // The user has chosen to leave the page, so the browser need not ask.
    const keepAndLeave = () => {
      if (!isSafe.current) keepInput();
      isSafe.current = true;
    };
    const keepForOwner = () => {
      if (!isSafe.current && isReplaced(email)) keepInput();
    };
    element.addEventListener('input', edit);
    addEventListener('beforeunload', ask);
    addEventListener('pagehide', keepForOwner);
    addEventListener(continueEvent, keepAndLeave);
    return () => {
      element.removeEventListener('input', edit);
      removeEventListener('beforeunload', ask);
      removeEventListener('pagehide', keepForOwner);
      removeEventListener(continueEvent, keepAndLeave);
      if (!isSafe.current) keepInput();
    };
  }, [ref, keep, email]);

  if (!isKept || isQuiet) return null;
  return (
    <Notice>
      {'Your unsaved changes are still here. '}
      <button
        type="button"
        className="link link-alone cursor-pointer"
        onClick={() => {
          isSafe.current = true;
          location.reload();
        }}
      >
        Discard them
      </button>
    </Notice>
  );
}
