import { useState } from 'react';
import { type Review, reasonToHide } from '../../../../../contract/catalogue/reviews.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';
import { ConfirmDialog } from '../../../../components/feedback/dialog.tsx';
import { TextArea } from '../../../../forms/fields/field.tsx';

type Props = { review: Review; onHidden: () => Promise<void>; onClose: () => void };

/** Asks for the reason and hides the review. If that fails, the dialog stays open and says why. */
export function HideDialog({ review: { _id, name }, onHidden, onClose }: Props) {
  const [reason, setReason] = useState('');
  const [error, setError] = useState<string>();

  function showError(message: string | undefined): false {
    setError(message);
    // A screen reader reads the error with the field.
    document.getElementById('reason')?.focus();
    return false;
  }

  async function hide() {
    const body = reasonToHide.safeParse({ reason });
    if (!body.success) return showError(body.error.issues[0]?.message);
    try {
      await getSession().client.call('hideReview', { params: { id: _id }, body: body.data });
    } catch (error) {
      return showError(getErrorMessage(error));
    }
    await onHidden();
    return true;
  }

  return (
    <ConfirmDialog
      title={`Hide the review by ${name}?`}
      confirmLabel="Hide the review"
      cancelLabel="Cancel"
      onConfirm={hide}
      onClose={onClose}
    >
      <p className="mb-4 text-soft">Only its author and admins will see it. You can show it again later.</p>
      <TextArea
        label="Reason"
        name="reason"
        hint="The author sees it."
        rows={3}
        maxLength={300}
        value={reason}
        error={error}
        onChange={({ target }) => setReason(target.value)}
      />
    </ConfirmDialog>
  );
}
