import { type ReactNode, useState } from 'react';
import type { z } from 'zod';
import type { Review } from '../../../../../contract/catalogue/reviews.ts';
import { isEditConflict } from '../../../../client/api/api-errors.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { ConfirmDialog } from '../../../../components/feedback/dialog.tsx';
import { TextArea } from '../../../../forms/fields/field.tsx';

/** The props that the list of reviews passes to each of its dialogs. */
export type ReviewDialogProps = {
  /** The review as it was when the dialog was opened. */
  opened: Review;
  /** The review as the list shows it now; undefined if it is no longer in the list. */
  current: Review | undefined;
  onConflict: () => Promise<void>;
  onClose: () => void;
};

type Props = ReviewDialogProps & {
  title: string;
  confirmLabel: string;
  kind: 'danger' | 'primary';
  /** The text's label, from which the field's name is made. */
  label: string;
  hint: string;
  rows: number;
  maxLength: number;
  initialText: string;
  schema: z.ZodType<string>;
  /** Sends the checked text with the version of the review that the dialog shows. */
  send: (text: string, version: number) => Promise<unknown>;
  /** The text has been sent. */
  onSent: (text: string) => Promise<void>;
  children?: ReactNode;
};

const goneMessage =
  'This review is no longer in this list: another admin has approved or hidden it, or its author has edited it and it now waits for approval. Copy your text, and find the review in another list.';

/**
 * Shows a review, asks for a text about it, and sends the text. If sending fails, the dialog keeps the text, shows the error, and
 * shows the review as it is now.
 */
export function TextDialog(props: Props) {
  const { opened, current, title, confirmLabel, kind, label, hint, rows, maxLength, schema, children } =
    props;
  const { reviews, version = 0 } = current ?? opened;
  const name = label.toLowerCase();
  const [text, setText] = useState(props.initialText);
  const [error, setError] = useState<string>();
  const [hadConflict, setHadConflict] = useState(false);
  // If the list no longer has the review, its new text and version are unknown, and each retry would fail the same way.
  const isGone = hadConflict && !current;

  function showError(message: string | undefined): false {
    setError(message);
    // A screen reader reads the error with the field.
    document.getElementById(name)?.focus();
    return false;
  }

  async function confirm() {
    if (isGone) return showError(goneMessage);
    const checked = schema.safeParse(text);
    if (!checked.success) return showError(checked.error.issues[0]?.message);
    try {
      await props.send(checked.data, version);
    } catch (error) {
      if (isEditConflict(error)) {
        setHadConflict(true);
        await props.onConflict();
      }
      return showError(getErrorMessage(error));
    }
    await props.onSent(checked.data);
    return true;
  }

  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirmLabel}
      cancelLabel="Cancel"
      kind={kind}
      onConfirm={confirm}
      onClose={props.onClose}
    >
      <blockquote className="mb-4 max-h-40 overflow-y-auto border-l-2 border-rule pl-3 wrap-anywhere whitespace-pre-line text-soft">
        {reviews}
      </blockquote>
      {children}
      <TextArea
        label={label}
        name={name}
        hint={hint}
        rows={rows}
        maxLength={maxLength}
        value={text}
        error={isGone ? goneMessage : error}
        onChange={({ target }) => setText(target.value)}
      />
    </ConfirmDialog>
  );
}
