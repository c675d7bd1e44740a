import { type FormEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useRevalidator, useSearchParams } from 'react-router';
import type { Viewer } from '../../contract/pages.ts';
import { isSignedOut } from '../client/api/api-errors.ts';
import { createFormKey } from '../client/api/idempotency.ts';
import { getSession } from '../client/session.ts';
import { Notice } from '../components/feedback/notice.tsx';
import { RestoredNotice } from '../components/feedback/restored-notice.tsx';
import { useToast } from '../components/feedback/toast.tsx';
import { findFilledFields, resetField } from './dom-fields.ts';
import { useDraft } from './draft.ts';
import { ErrorSummary } from './error-summary.tsx';
import { HiddenFields } from './fields/hidden-fields.tsx';
import { KeyField } from './fields/key-field.tsx';
import { type RejectedForm, toFormErrors, type UploadImages } from './form-results.ts';
import { KeptInput } from './kept-input.tsx';
import { addUrlFields, type FormResult, getText, type PageForm, type RejectedResult } from './page-form.ts';
import { readSubmitted } from './submitted.ts';
import { useRejectedForm } from './use-rejected-form.ts';

export type OpenForm = ReturnType<typeof usePageForm>;

/** `error` is the error that the call threw. */
type Rejected = Omit<RejectedForm, 'form'> & { error?: unknown };

/** The texts of a form's fields. */
type Texts = Readonly<Record<string, string>>;

type Options<Result> = {
  /** Absent for the forms of visitors, which keep no drafts. */
  viewer?: Viewer | undefined;
  /** From the page's loader, if the form creates something. */
  formKey?: string;
  /** Identifies the draft if the page has several forms, or a form for several things. By default, the form's name. */
  draft?: string;
  /**
   * A rejected plain post, whose values fill in the form. By default, the post that the page responds to, if it was a post of
   * this form.
   */
  posted?: RejectedForm | undefined;
  /** Questions about doubtful fields. The form is sent if the same values are submitted again. */
  ask?: (texts: Texts) => Record<string, string>;
  /** Uploads the form's images before it is sent. */
  upload?: UploadImages;
  /** Called when the call was rejected, before the page is loaded again after a 409. */
  onRejected?: (result: RejectedResult) => void | Promise<void>;
  /** Called when the form is done. Unless this opens another page, the page is then loaded again. */
  onDone?: (result: Result, done: Done) => unknown;
};

type Done = {
  /** The texts of the fields when the form was sent. */
  texts: Texts;
  /** Empties the form for the next input, except fields that were edited after it was sent. */
  reset: () => void;
  /** The page that a plain post leads to. */
  donePage: () => string;
};

/**
 * A page's form: spread `props` into the `<form>`, start it with a `FormStart`, and spread `field(name)` into each `Field`. After
 * a rejected post without scripts, the form starts with the values and errors of that post.
 */
export function usePageForm<Result>(
  form: PageForm<Result>,
  {
    viewer,
    formKey = '',
    draft: draftName = form.name,
    ask,
    upload,
    onRejected,
    onDone,
    ...options
  }: Options<Result>,
) {
  const ownPost = useRejectedForm(form.name);
  const posted = 'posted' in options ? options.posted : ownPost;
  const [rejected, setRejected] = useState<Rejected | undefined>(posted);
  const [values, setValues] = useState(posted?.values);
  const [submitCount, setSubmitCount] = useState(0);
  const [isBusy, setIsBusy] = useState(false);
  const [search] = useSearchParams();
  // A plain post that succeeded leads back to this page with `?done=`.
  const [isDone, setIsDone] = useState(!posted && search.get('done') === form.name);
  const [key, setKey] = useState(posted?.values.key || formKey);
  const { revalidate } = useRevalidator();
  const toast = useToast();
  const draft = useDraft(viewer?.email, draftName);
  const { ref } = draft;
  /** A ref, because a second submit can come before the state is rendered. */
  const isSending = useRef(false);
  /** Whether the form was edited after it was sent. */
  const isEdited = useRef(false);
  const [questions, setQuestions] = useState<Record<string, string>>({});
  /** The fields and values that the last questions were about. If they are submitted unchanged, the form is sent. */
  const asked = useRef('');

  async function handle(result: FormResult<Result>, texts: Texts): Promise<void> {
    setIsDone(result.isDone && !isEdited.current);
    if (result.isDone) {
      setRejected(undefined);
      draft.end();
      asked.current = '';
      if (formKey) setKey(createFormKey());
      const page = location.href;
      await onDone?.(result.result, { texts, reset: () => clearSent(texts), donePage: result.donePage });
      if (location.href === page) void revalidate();
      return;
    }
    const { status, root } = result;
    setRejected(result);
    setSubmitCount((count) => count + 1);
    // After a refused refund (402), the form disappears if nothing is left to refund: show the error as a toast, too.
    if (root && status === 402) toast(root, 'wrong');
    // The shop has recorded the refused refund under this key, so another attempt needs a new one.
    if (status === 402) setKey(createFormKey());
    if (result.error !== undefined) await onRejected?.(result);
    if (status !== 402 && status !== 409) return;
    asked.current = '';
    await revalidate();
  }

  function clearSent(sent: Texts): void {
    // The fields get the defaults of an empty form.
    flushSync(() => setValues({}));
    if (!ref.current) return;
    if (!isEdited.current) ref.current.reset();
    for (const field of findFilledFields(ref.current.elements))
      if (field.value === sent[field.name]) resetField(field);
  }

  /**
   * Asks the user about doubtful values. Returns false if there are none, or if the user has confirmed them by submitting again.
   */
  function askQuestions(texts: Texts): boolean {
    const next = ask?.(texts) ?? {};
    setQuestions(next);
    const [first, ...others] = Object.keys(next);
    const question = JSON.stringify([first, ...others].map((field) => field && [field, texts[field]]));
    if (!first || question === asked.current) return false;
    asked.current = question;
    // Move the focus to the first doubtful field, so that Enter submits the form again.
    document.getElementById(first)?.focus();
    return true;
  }

  async function send(formData: FormData): Promise<void> {
    if (isSending.current) return;
    addUrlFields(form, formData, search);
    const texts = Object.fromEntries(form.fields.map((name) => [name, getText(formData, name)]));
    if (Object.keys(form.check(formData)).length === 0 && askQuestions(texts)) return;
    isSending.current = true;
    isEdited.current = false;
    setIsBusy(true);
    setIsDone(false);
    const sender = upload ? { ...getSession(), upload } : getSession();
    const result = await form.send(sender, viewer, formData);
    if (!result.isDone && viewer && (await hasEnded(result))) {
      // `signIn` has saved the input. The form stays busy, so that leaving the page does not save it again.
      await draft.signIn();
      return;
    }
    try {
      await handle(result, texts);
    } catch (error) {
      // The steps after the call may fail, too, such as reading the new session.
      setRejected({ values: {}, ...toFormErrors(error, form.fields) });
      setSubmitCount((count) => count + 1);
    }
    isSending.current = false;
    setIsBusy(false);
  }

  function findInput(name: string): HTMLInputElement | undefined {
    const input = ref.current?.elements.namedItem(name);
    return input instanceof HTMLInputElement ? input : undefined;
  }

  function changeError(field: string, message: string | undefined): void {
    setRejected((current) => {
      if (!current) return current;
      const { [field]: _, ...others } = current.errors;
      return { ...current, errors: message === undefined ? others : { ...others, [field]: message } };
    });
  }

  /** Checks a field again that was wrong or doubtful. */
  function recheck(element: HTMLFormElement, name: string): void {
    if (questions[name]) {
      setQuestions({});
      asked.current = '';
    }
    if (rejected?.errors[name] !== undefined) changeError(name, form.check(new FormData(element))[name]);
  }

  const messageOf = (field: string) => rejected?.errors[field] ?? questions[field];
  return {
    draft,
    viewer,
    name: form.name,
    key,
    setKey,
    isBusy,
    /** The form is done, and has not been edited since. */
    isDone,
    messageOf,
    /** Removes a field's error. Call it if a script has changed the field. */
    clearError: (field: string) => changeError(field, undefined),
    /** Removes the errors and questions of the fields whose names start with this prefix. */
    clearErrors(prefix: string): void {
      setQuestions({});
      asked.current = '';
      for (const name of form.fields) if (name.startsWith(prefix)) changeError(name, undefined);
    },
    root: rejected?.root,
    /** The texts of a rejected post without scripts. */
    rejectedValues: values,
    /** The last rejection, of the browser's call or of a plain post. */
    rejected,
    /** How often the form has been rejected since the page was opened. */
    submitCount,
    listErrors: () =>
      // Fields whose number varies come last.
      [...new Set([...form.fields, ...Object.keys(rejected?.errors ?? {})])].flatMap((id) => {
        const message = rejected?.errors[id];
        return message ? [{ id, message }] : [];
      }),
    field: (name: string, initial = '') => ({
      name,
      defaultValue: values?.[name] ?? initial,
      error: messageOf(name),
    }),
    getText: (name: string): string => findInput(name)?.value ?? '',
    /** Sets a field's value, for example because another field has changed. */
    setText(name: string, text: string): void {
      const input = findInput(name);
      if (!ref.current || !input) return;
      input.value = text;
      recheck(ref.current, name);
    },
    props: {
      ref,
      method: 'post' as const,
      noValidate: true,
      onSubmit(event: FormEvent<HTMLFormElement>) {
        event.preventDefault();
        void send(readSubmitted(event));
      },
      onInput({ currentTarget, target }: FormEvent<HTMLFormElement>) {
        isEdited.current = true;
        setIsDone(false);
        recheck(currentTarget, target instanceof Element ? (target.getAttribute('name') ?? '') : '');
      },
    },
  };
}

/**
 * Whether the session has ended. The identity service also responds to a wrong code with 401, so after a 401 read the session.
 */
async function hasEnded({ error, status }: RejectedResult): Promise<boolean> {
  if (isSignedOut(error) || status !== 401) return isSignedOut(error);
  const { refresh } = getSession();
  return refresh().then(
    (viewer) => !viewer,
    () => false,
  );
}

type StartProps = {
  form: OpenForm;
  /** Set if the form has an image, which a draft cannot restore. */
  image?: boolean;
  /** Keep unsaved input when the user leaves the page. */
  keepsInput?: boolean;
  /** The version of the resource that the page shows. */
  version?: number | undefined;
};

/** The start of a form: its messages and hidden fields. */
export function FormStart({ form, image = false, keepsInput = false, version }: StartProps) {
  const { draft, viewer, root, submitCount, key, setKey } = form;
  return (
    <>
      {draft.restored && !draft.isKept && <RestoredNotice image={image} />}
      {keepsInput && viewer && (
        <KeptInput isSent={form.isBusy || form.isDone} draft={draft} email={viewer.email} />
      )}
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      {root && (
        <Notice error noFocus={submitCount === 0}>
          {root}
        </Notice>
      )}
      <HiddenFields form={form} version={version} />
      {key && <KeyField value={key} onChange={setKey} />}
    </>
  );
}
