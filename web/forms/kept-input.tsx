import { useEffect, useRef } from 'react';
import { continueEvent } from '../client/account-changes.ts';
import { Notice } from '../components/feedback/notice.tsx';
import { isReplaced, listEdited, type useDraft } from './draft.ts';

type Props = {
  form: { formState: { isSubmitting: boolean; isSubmitSuccessful: boolean } };
  draft: ReturnType<typeof useDraft>;
  /** The user who types. */
  email: string;
  /** Shows no notice, because the form itself marks the kept input. */
  isQuiet?: boolean;
};

/** Keeps unsaved input for the next visit, and asks before the window is closed. */
export function KeptInput({ form, draft, email, isQuiet = false }: Props) {
  const { isSubmitting, isSubmitSuccessful } = form.formState;
  const { ref, keep, isKept } = draft;
  const isSent = useRef(false);
  useEffect(() => {
    isSent.current = isSubmitting || isSubmitSuccessful;
  }, [isSubmitting, isSubmitSuccessful]);

  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const keepInput = keep(element);
    const edit = () => {
      isSent.current = false;
    };
    const ask = (event: BeforeUnloadEvent) => {
      if (!isSent.current && listEdited(element).length > 0) event.preventDefault();
    };
    // The user has chosen to leave the page, so the browser need not ask.
    const keepAndLeave = () => {
      if (!isSent.current) keepInput();
      isSent.current = true;
    };
    const keepForOwner = () => {
      if (!isSent.current && isReplaced(email)) keepInput();
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
      if (!isSent.current) keepInput();
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
          isSent.current = true;
          location.reload();
        }}
      >
        Discard them
      </button>
    </Notice>
  );
}
