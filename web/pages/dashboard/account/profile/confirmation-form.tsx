import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { confirmationForm } from './confirmation.ts';
import { profilePath } from './profile.ts';

type Props = {
  viewer: Viewer;
  /** Says which actions do or don’t wait for the confirmation. */
  children: ReactNode;
};

/** Whether the user's address is confirmed, or a button that sends the link again. */
export function ConfirmationForm({ viewer, children }: Props) {
  const form = useShopForm(confirmationForm, useRejectedForm(confirmationForm.name));
  const [search] = useSearchParams();
  const [isSent, setIsSent] = useState(search.get('done') === confirmationForm.doneCode);
  if (viewer.emailVerified) return <StatusBadge tone="done">Your email address is confirmed.</StatusBadge>;

  const send = form.handleSubmit(async (values) => {
    setIsSent(false);
    try {
      await confirmationForm.send(getSession(), values);
      setIsSent(true);
    } catch (error) {
      form.showError(error);
    }
  });

  return (
    <form method="post" action={profilePath} noValidate onSubmit={send}>
      <input type="hidden" name="viewer" value={viewer._id} />
      <input type="hidden" name="form" value={confirmationForm.name} />
      <p className="mb-4 max-w-text text-soft">
        Your email address is not confirmed. Open the link in our email, which works for one hour. {children}
      </p>
      <Button type="submit" kind="plain" busy={form.formState.isSubmitting}>
        Send the link again
      </Button>
      <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
      <div role="status" className="mt-4">
        {isSent && <StatusBadge tone="done">Sent. Check your inbox.</StatusBadge>}
      </div>
    </form>
  );
}
