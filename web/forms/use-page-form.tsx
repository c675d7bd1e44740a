import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Viewer } from '../../contract/pages.ts';
import { isSignedOut } from '../client/api/api-errors.ts';
import { createFormKey } from '../client/api/idempotency.ts';
import { getSession } from '../client/session.ts';
import { useToast } from '../components/feedback/toast.tsx';
import { useDraft } from './draft.ts';
import { KeyField } from './fields/key-field.tsx';
import { FormHead } from './form-head.tsx';
import type { FormResult, PageForm, RejectedResult } from './page-form.ts';
import type { RejectedForm, UploadImages } from './shop-form.ts';
import { useRejectedForm } from './use-shop-form.ts';

export type OpenForm = ReturnType<typeof usePageForm>;

type Options<Result> = {
  viewer: Viewer;
  /** From the page's loader, if the form creates something. */
  formKey?: string;
  /** Distinguishes what the forms of one page edit, for drafts. */
  draft?: string;
  /** A rejected post without scripts to start with; by default the page's own. */
  posted?: RejectedForm | undefined;
  /** Uploads the form's images before it is sent. */
  upload?: UploadImages;
  /** Called when the call was rejected, before the page is loaded again after a 409. */
  onRejected?: (result: RejectedResult) => void | Promise<void>;
  /** Called when the form is done. `reset` empties it for the next input. */
  onDone?: (result: Result, reset: () => void) => void | Promise<void>;
};

/**
 * A page's form: spread `props` into the `<form>`, start it with a `FormStart`, and spread `field(name)` into each `Field`. It is
 * initialized with a rejected post without scripts, if there is one.
 */
export function usePageForm<Result>(
  form: PageForm<Result>,
  {
    viewer,
    formKey = '',
    draft: draftName = form.name,
    upload,
    onRejected,
    onDone,
    ...options
  }: Options<Result>,
) {
  const ownPost = useRejectedForm(form.name);
  const posted = 'posted' in options ? options.posted : ownPost;
  const [rejected, setRejected] = useState<Pick<RejectedForm, 'errors' | 'root'> | undefined>(posted);
  const [values, setValues] = useState(posted?.values);
  const [submitCount, setSubmitCount] = useState(0);
  const [isBusy, setIsBusy] = useState(false);
  const [isDone, setIsDone] = useState(false);
  const [key, setKey] = useState(posted?.values.key || formKey);
  const { revalidate } = useRevalidator();
  const toast = useToast();
  const draft = useDraft(viewer.email, draftName);
  const { ref } = draft;
  /** Set at once, unlike the state. */
  const isSending = useRef(false);

  async function handle(result: FormResult<Result>): Promise<void> {
    setIsDone(result.isDone);
    if (result.isDone) {
      setRejected(undefined);
      if (formKey) setKey(createFormKey());
      void revalidate();
      await onDone?.(result.result, () => setValues({}));
      return;
    }
    setRejected(result);
    setSubmitCount((count) => count + 1);
    if (result.status === 402) {
      // A refused refund is recorded under its key.
      setKey(createFormKey());
      // The form may disappear, if nothing is left to refund.
      if (result.root) toast(result.root, 'wrong');
    }
    if (result.error !== undefined) await onRejected?.(result);
    if (result.status === 402 || result.status === 409) await revalidate();
  }

  async function send(formData: FormData): Promise<void> {
    if (isSending.current) return;
    isSending.current = true;
    setIsBusy(true);
    const sender = upload ? { ...getSession(), upload } : getSession();
    const result = await form.send(sender, viewer, formData);
    if (!result.isDone && isSignedOut(result.error)) {
      // The form stays busy, so that it does not keep its input a second time.
      await draft.signIn();
      return;
    }
    await handle(result);
    isSending.current = false;
    setIsBusy(false);
  }

  // Once the defaults are those of an empty form.
  useEffect(() => {
    if (values && Object.keys(values).length === 0) ref.current?.reset();
  }, [values, ref]);

  const messageOf = (field: string) => rejected?.errors[field];
  function changeError(field: string, message: string | undefined): void {
    setRejected((current) => {
      if (!current) return current;
      const { [field]: _, ...others } = current.errors;
      return { ...current, errors: message === undefined ? others : { ...others, [field]: message } };
    });
  }
  return {
    draft,
    viewer,
    name: form.name,
    key,
    setKey,
    isBusy,
    messageOf,
    /** For a field that is changed by a script. */
    clearError: (field: string) => changeError(field, undefined),
    root: rejected?.root,
    rejectedValues: values,
    /** For `FormHead`. */
    formState: { submitCount, isSubmitting: isBusy, isSubmitSuccessful: isDone },
    listErrors: () =>
      form.fields.flatMap((id) => {
        const message = messageOf(id);
        return message ? [{ id, message }] : [];
      }),
    field: (name: string, initial = '') => ({
      name,
      defaultValue: values?.[name] ?? initial,
      error: messageOf(name),
    }),
    props: {
      ref,
      method: 'post' as const,
      noValidate: true,
      onSubmit(event: FormEvent<HTMLFormElement>) {
        event.preventDefault();
        const { nativeEvent, currentTarget } = event;
        // The button's own value belongs to the form.
        const submitter = nativeEvent instanceof SubmitEvent ? nativeEvent.submitter : null;
        void send(new FormData(currentTarget, submitter));
      },
      /** Checks a field again that was wrong. */
      onInput({ currentTarget, target }: FormEvent<HTMLFormElement>) {
        const name = target instanceof Element ? (target.getAttribute('name') ?? '') : '';
        if (messageOf(name) !== undefined) changeError(name, form.check(new FormData(currentTarget))[name]);
      },
    },
  };
}

type StartProps = {
  form: OpenForm;
  /** Set if the form has an image, which a draft cannot restore. */
  image?: boolean;
  /** Keep unsaved input when the user leaves the page. */
  keepsInput?: boolean;
  /** The version of what the page shows. */
  version?: number;
};

/** The start of a form: its messages and hidden fields. */
export function FormStart({ form, ...rest }: StartProps) {
  const { draft, viewer, name, key, setKey } = form;
  return (
    <>
      <FormHead form={form} draft={draft} viewer={viewer} {...rest} />
      <input type="hidden" name="form" value={name} />
      {key && <KeyField value={key} onChange={setKey} />}
    </>
  );
}
