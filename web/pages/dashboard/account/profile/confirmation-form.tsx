import type { ReactNode } from 'react';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { useAccountAction } from './account-path.ts';
import { confirmationForm } from './confirmation.ts';

type Props = {
  viewer: Viewer;
  /** Says which actions do or don’t wait for the confirmation. */
  children: ReactNode;
};

/** Whether the user's address is confirmed, or a button that sends the link again. */
export function ConfirmationForm({ viewer, children }: Props) {
  const form = usePageForm(confirmationForm, { viewer });
  const action = useAccountAction();
  if (viewer.emailVerified) return <StatusBadge tone="done">Your email address is confirmed.</StatusBadge>;
  return (
    <form {...form.props} action={action}>
      <FormStart form={form} />
      <p className="mb-4 max-w-text text-soft">
        Your email address is not confirmed. Open the link in our email, which works for one hour. {children}
      </p>
      <Button type="submit" kind="plain" busy={form.isBusy}>
        Send the link again
      </Button>
      <div role="status" className="mt-4">
        {form.isDone && <StatusBadge tone="done">Sent. Check your inbox.</StatusBadge>}
      </div>
    </form>
  );
}
