import { useEffect, useRef } from 'react';
import { Notice } from '../components/feedback/notice.tsx';
import { listEdited, type useDraft } from './draft.ts';

type Props = {
  form: { formState: { isSubmitting: boolean; isSubmitSuccessful: boolean } };
  draft: ReturnType<typeof useDraft>;
};

/** Keeps unsaved input for the next visit, and asks before the window is closed. */
export function KeptInput({ form, draft }: Props) {
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
    element.addEventListener('input', edit);
    addEventListener('beforeunload', ask);
    return () => {
      element.removeEventListener('input', edit);
      removeEventListener('beforeunload', ask);
      if (!isSent.current) keepInput();
    };
  }, [ref, keep]);

  if (!isKept) return null;
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
