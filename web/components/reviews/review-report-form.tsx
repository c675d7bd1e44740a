import { type FormEvent, useState } from 'react';
import type { Review } from '../../../contract/catalogue/reviews.ts';
import { getErrorMessage } from '../../client/api/error-message.ts';
import { getSession } from '../../client/session.ts';
import { TextArea } from '../../forms/fields/field.tsx';
import type { RejectedForm } from '../../forms/shop-form.ts';
import { useRejectedForm } from '../../forms/use-shop-form.ts';
import { Button } from '../button.tsx';
import { createReportForm } from './review-report.ts';

type Props = { review: Review; productId: string; viewerId: string };

/** Reports a review to the admins: a link that unfolds a small form. */
export function ReportForm({ review: { _id, name }, productId, viewerId }: Props) {
  const definition = createReportForm(productId);
  const [rejected] = useState<RejectedForm | undefined>(useRejectedForm(definition.name));
  const isRejected = rejected?.values.review === _id;
  const [error, setError] = useState(isRejected ? (rejected.errors.reason ?? rejected.root) : undefined);
  const [state, setState] = useState<'open' | 'sending' | 'sent'>('open');

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (state === 'sending') return;
    const report = definition.validate(Object.fromEntries(new FormData(event.currentTarget)));
    if ('errors' in report) return showError(report.errors.reason);
    setState('sending');
    try {
      await definition.send(getSession(), report.values);
      setState('sent');
    } catch (error) {
      setState('open');
      showError(getErrorMessage(error));
    }
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
        <input type="hidden" name="form" value={definition.name} />
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
