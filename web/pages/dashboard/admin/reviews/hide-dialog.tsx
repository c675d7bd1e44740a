import { reasonToHide } from '../../../../../contract/catalogue/reviews.ts';
import { getSession } from '../../../../client/session.ts';
import { type ReviewDialogProps, TextDialog } from './text-dialog.tsx';

type Props = ReviewDialogProps & { onHidden: () => Promise<void> };

/** Asks for the reason and hides the review. */
export function HideDialog({ onHidden, ...props }: Props) {
  const { _id, name } = props.opened;

  return (
    <TextDialog
      {...props}
      title={`Hide the review by ${name}?`}
      confirmLabel="Hide the review"
      kind="danger"
      label="Reason"
      hint="The author sees it."
      rows={3}
      maxLength={300}
      initialText=""
      schema={reasonToHide.shape.reason}
      send={(reason, version) =>
        getSession().client.call('hideReview', { params: { id: _id }, body: { version, reason } })
      }
      onSent={onHidden}
    >
      <p className="mb-4 text-soft">Only its author and admins will see it. You can show it again later.</p>
    </TextDialog>
  );
}
