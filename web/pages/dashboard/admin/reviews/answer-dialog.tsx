import { useState } from 'react';
import { type Review, reviewAnswer } from '../../../../../contract/catalogue/reviews.ts';
import { isEditConflict } from '../../../../client/api/api-errors.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';
import { ConfirmDialog } from '../../../../components/feedback/dialog.tsx';
import { TextArea } from '../../../../forms/fields/field.tsx';

type Props = {
  /** The review as it was when the dialog was opened. */
  opened: Review;
  /** The review as the list shows it now; undefined if it is no longer in the list. */
  current: Review | undefined;
  onConflict: () => Promise<void>;
  onAnswered: (message: string) => Promise<void>;
  onClose: () => void;
};

const goneMessage =
  'This review has changed and left this list. If its author edited it, it now waits for approval: copy your answer, find the review under “To approve”, and answer it there.';

/** Writes the shop's public answer. If that fails, the dialog stays open and says why. */
export function AnswerDialog({ opened, current, onConflict, onAnswered, onClose }: Props) {
  const { _id, name, reviews, version = 0, answer: saved } = current ?? opened;
  const before = opened.answer?.text ?? '';
  const now = saved?.text ?? '';
  const [answer, setAnswer] = useState(before);
  const [error, setError] = useState<string>();
  const [hadConflict, setHadConflict] = useState(false);
  // Without the new text and version, each retry would fail the same way.
  const isGone = hadConflict && !current;

  function showError(message: string | undefined): false {
    setError(message);
    // A screen reader reads the error with the field.
    document.getElementById('answer')?.focus();
    return false;
  }

  async function save() {
    if (isGone) return showError(goneMessage);
    const body = reviewAnswer.safeParse({ version, answer });
    if (!body.success) return showError(body.error.issues[0]?.message);
    try {
      await getSession().client.call('answerReview', { params: { id: _id }, body: body.data });
    } catch (error) {
      if (isEditConflict(error)) {
        setHadConflict(true);
        await onConflict();
      }
      return showError(getErrorMessage(error));
    }
    await onAnswered(body.data.answer ? 'Your answer is now public.' : 'The answer was removed.');
    return true;
  }

  return (
    <ConfirmDialog
      title={`Answer the review by ${name}`}
      confirmLabel={before ? 'Save the answer' : 'Answer in public'}
      cancelLabel="Cancel"
      kind="primary"
      onConfirm={save}
      onClose={onClose}
    >
      <blockquote className="mb-4 max-h-40 overflow-y-auto border-l-2 border-rule pl-3 wrap-anywhere whitespace-pre-line text-soft">
        {reviews}
      </blockquote>
      {now !== before && (
        <p className="mb-4 wrap-anywhere">
          {now ? `Another admin has saved this answer: “${now}”` : 'Another admin has removed the answer.'}
        </p>
      )}
      <TextArea
        label="Answer"
        name="answer"
        hint={`Visible to everyone who sees the review.${before ? ' Leave it empty to remove the answer.' : ''}`}
        rows={5}
        maxLength={2000}
        value={answer}
        error={isGone ? goneMessage : error}
        onChange={({ target }) => setAnswer(target.value)}
      />
    </ConfirmDialog>
  );
}
