import { reviewAnswer } from '../../../../../contract/catalogue/reviews.ts';
import { getSession } from '../../../../client/session.ts';
import { type ReviewDialogProps, TextDialog } from './text-dialog.tsx';

type Props = ReviewDialogProps & { onAnswered: (message: string) => Promise<void> };

/** Writes the shop's public answer. */
export function AnswerDialog({ onAnswered, ...props }: Props) {
  const { opened, current = opened } = props;
  const before = opened.answer?.text ?? '';
  const now = current.answer?.text ?? '';

  return (
    <TextDialog
      {...props}
      title={`Answer the review by ${opened.name}`}
      confirmLabel={before ? 'Save the answer' : 'Answer in public'}
      kind="primary"
      label="Answer"
      hint={`Visible to everyone who sees the review.${before ? ' Leave it empty to remove the answer.' : ''}`}
      rows={5}
      maxLength={2000}
      initialText={before}
      schema={reviewAnswer.shape.answer}
      send={(answer, version) =>
        getSession().client.call('answerReview', { params: { id: opened._id }, body: { version, answer } })
      }
      onSent={(answer) => onAnswered(answer ? 'Your answer is now public.' : 'The answer was removed.')}
    >
      {now !== before && (
        <p className="mb-4 wrap-anywhere">
          {now ? `Another admin has saved this answer: “${now}”` : 'Another admin has removed the answer.'}
        </p>
      )}
    </TextDialog>
  );
}
