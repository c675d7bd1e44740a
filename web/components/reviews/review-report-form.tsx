import { useEffect, useState } from 'react';
import type { Review } from '../../../contract/catalogue/reviews.ts';
import type { Viewer } from '../../../contract/pages.ts';
import { TextArea } from '../../forms/fields/field.tsx';
import { HiddenFields } from '../../forms/fields/hidden-fields.tsx';
import { usePageForm } from '../../forms/use-page-form.tsx';
import { useRejectedForm } from '../../forms/use-rejected-form.ts';
import { Button } from '../button.tsx';
import { RestoredNotice } from '../feedback/restored-notice.tsx';
import { reportForm } from './review-report.ts';

type Props = { review: Review; viewer: Viewer };

/** Reports a review to the admins: a link that unfolds a small form. The page has one for each review. */
export function ReportForm({ review: { _id, name }, viewer }: Props) {
  const rejected = useRejectedForm(reportForm.name);
  const posted = rejected?.values.review === _id ? rejected : undefined;
  const [isReported, setIsReported] = useState(false);
  const form = usePageForm(reportForm, {
    viewer,
    draft: `report ${_id}`,
    posted,
    onDone: () => setIsReported(true),
  });
  const { restored } = form.draft;
  const { submitCount } = form;
  // A screen reader reads the error with the field.
  useEffect(() => {
    if (submitCount) document.getElementById(`reason-${_id}`)?.focus();
  }, [submitCount, _id]);

  if (isReported)
    return (
      // The form, which had the focus, is gone.
      <p ref={(element) => element?.focus()} tabIndex={-1} className="mt-3 text-sm text-soft">
        Thank you. The shop’s admins will look at this review.
      </p>
    );
  return (
    <details open={restored || posted !== undefined} className="mt-3">
      <summary className="link link-alone inline-flex w-fit cursor-pointer list-none text-sm [&::-webkit-details-marker]:hidden">
        Report<span className="sr-only">{` the review by ${name}`}</span>
      </summary>
      <form {...form.props} className="mt-3 max-w-text">
        {restored && <RestoredNotice />}
        <HiddenFields form={form} />
        <input type="hidden" name="review" value={_id} />
        <TextArea
          label="What is wrong with it?"
          hint="Only the shop’s admins see this."
          rows={2}
          maxLength={300}
          {...form.field('reason')}
          id={`reason-${_id}`}
          error={form.messageOf('reason') ?? form.root}
        />
        <Button type="submit" kind="plain" busy={form.isBusy}>
          Send report
        </Button>
      </form>
    </details>
  );
}
