import { type FormEvent, useRef, useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import type { Viewer } from '../../contract/pages.ts';
import { isSignedOut } from '../client/api/api-errors.ts';
import { getErrorMessage } from '../client/api/error-message.ts';
import { signInAgain } from '../client/route-access.ts';
import { getSession } from '../client/session.ts';
import { useToast } from '../components/feedback/toast.tsx';
import { getFirstMessage } from './form-results.ts';
import { canReload, type PageForm } from './page-form.ts';
import { readSubmitted } from './submitted.ts';

type Options<Result> = {
  viewer: Viewer | undefined;
  /** Called when the form is done, with the page that a plain post leads to. */
  onDone?: (result: Result, donePage: string) => unknown;
};

/**
 * A form that is only a button: spread `props` into the `<form>` and start it with `HiddenFields`. Errors are shown as toasts,
 * because the button may be gone when the page is loaded again.
 */
export function useButtonForm<Result>(form: PageForm<Result>, { viewer, onDone }: Options<Result>) {
  const [isBusy, setIsBusy] = useState(false);
  /** A ref, because a second click can come before the state is rendered. */
  const isSending = useRef(false);
  const { revalidate } = useRevalidator();
  const toast = useToast();
  const navigate = useNavigate();

  async function send(formData: FormData): Promise<void> {
    if (isSending.current) return;
    isSending.current = true;
    setIsBusy(true);
    const result = await form.send(getSession(), viewer, formData);
    // The form stays busy, so that it is not sent again.
    if (!result.isDone && viewer && isSignedOut(result.error)) return signInAgain(navigate);
    const page = location.href;
    try {
      if (result.isDone) await onDone?.(result.result, result.donePage());
      else toast(getFirstMessage(result), 'wrong');
      if (location.href === page && canReload(result)) await revalidate();
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    isSending.current = false;
    setIsBusy(false);
  }

  return {
    name: form.name,
    viewer,
    isBusy,
    props: {
      method: 'post' as const,
      onSubmit(event: FormEvent<HTMLFormElement>) {
        event.preventDefault();
        void send(readSubmitted(event));
      },
    },
  };
}
