import { type FormEvent, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { ShownProduct } from '../../../contract/catalogue/products.ts';
import type { Viewer } from '../../../contract/pages.ts';
import { getErrorMessage } from '../../client/api/error-message.ts';
import { getSession } from '../../client/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { ConfirmationForm } from '../dashboard/account/profile/confirmation-form.tsx';
import { createWaitForm } from './wait.ts';

/** Requests an email when a sold-out product is back, or cancels the request. */
export function WaitForm({ product, viewer }: { product: ShownProduct; viewer: Viewer | undefined }) {
  const { _id, backInStock: isWaiting = false } = product;
  const definition = createWaitForm(_id);
  const [busy, setBusy] = useState(false);
  const { revalidate } = useRevalidator();
  const toast = useToast();
  if (!viewer)
    return (
      <ButtonLink to={`/login?from=${encodeURIComponent(`/purchase/${_id}`)}`}>
        Sign in to be notified when it’s back
      </ButtonLink>
    );
  if (!viewer.emailVerified && !isWaiting)
    return (
      <ConfirmationForm viewer={viewer}>
        Once your address is confirmed, we can tell you when this tool is back.
      </ConfirmationForm>
    );

  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      await definition.send(getSession(), { wait: isWaiting ? 'stop' : 'start' });
      // The button's new text and the sentence above it show the result.
      await revalidate();
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
      await revalidate();
    }
    setBusy(false);
  }

  return (
    <form method="post" noValidate onSubmit={send}>
      <input type="hidden" name="viewer" value={viewer._id} />
      <input type="hidden" name="form" value={definition.name} />
      <input type="hidden" name="wait" value={isWaiting ? 'stop' : 'start'} />
      <div role="status" className="mb-3 text-sm text-soft">
        {isWaiting ? (
          <>
            <p className="mb-1 text-base">
              <StatusBadge tone="done">We’ll tell you when it’s back</StatusBadge>
            </p>
            <p>{`One email to ${viewer.email}. Nothing is reserved for you.`}</p>
          </>
        ) : (
          <p>{`We can send one email to ${viewer.email} when you can order it again.`}</p>
        )}
      </div>
      <Button type="submit" kind={isWaiting ? 'plain' : 'primary'} busy={busy} className="w-full">
        {isWaiting ? 'Unsubscribe' : 'Tell me when it’s back'}
      </Button>
    </form>
  );
}
