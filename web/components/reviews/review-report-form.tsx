import { type FormEvent, useState } from 'react';
import type { Review } from '../../../contract/catalogue/reviews.ts';
import { getSession } from '../../client/session.ts';
import { TextArea } from '../../forms/fields/field.tsx';
import { useRejectedForm } from '../../forms/use-rejected-form.ts';
import { Button } from '../button.tsx';
import { reportForm } from './review-report.ts';

type Props = { review: Review; viewerId: string };

/** Reports a review to the admins: a link that unfolds a small form. */
export function ReportForm({ review: { _id, name }, viewerId }: Props) {
  const rejected = useRejectedForm(reportForm.name);
  const isRejected = rejected?.values.review === _id;
  const [error, setError] = useState(isRejected ? (rejected.errors.reason ?? rejected.root) : undefined);
  const [state, setState] = useState<'open' | 'sending' | 'sent'>('open');

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (state === 'sending') return;
    const formData = new FormData(event.currentTarget);
    setState('sending');
    const result = await reportForm.send(getSession(), undefined, formData);
    setState(result.isDone ? 'sent' : 'open');
    if (!result.isDone) showError(result.errors.reason ?? result.root);
  }

  function showError(message: string | undefined) {
    setError(message);
    // A screen reader reads the error with the field.
    document.getElementById(`reason-${_id}`)?.focus();
  }

  if (state === 'sent')
    return (
      // The form had the focus.
      <p ref={(element) => element?.focus()} tabIndex={-1} className="mt-3 text-sm text-soft">
        Thank you. The shop’s admins will look at this review.
      </p>
    );
  return (
    <details open={isRejected} className="mt-3">
      <summary className="link link-alone inline-flex w-fit cursor-pointer list-none text-sm [&::-webkit-details-marker]:hidden">
        Report<span className="sr-only">{` the review by ${name}`}</span>
      </summary>
      <form method="post" noValidate onSubmit={send} className="mt-3 max-w-text">
        <input type="hidden" name="form" value={reportForm.name} />
        <input type="hidden" name="viewer" value={viewerId} />
        <input type="hidden" name="review" value={_id} />
        <TextArea
          id={`reason-${_id}`}
          label="What is wrong with it?"
          name="reason"
          hint="Only the shop’s admins see this."
          rows={2}
          maxLength={300}
          defaultValue={isRejected ? rejected.values.reason : ''}
          error={error}
        />
        <Button type="submit" kind="plain" busy={state === 'sending'}>
          Send report
        </Button>
      </form>
    </details>
  );
}
