import type { ShownProduct } from '../../../contract/catalogue/products.ts';
import { loginPage, purchasePages } from '../../../contract/page-addresses.ts';
import type { Viewer } from '../../../contract/pages.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { HiddenFields } from '../../forms/fields/hidden-fields.tsx';
import { useButtonForm } from '../../forms/use-button-form.ts';
import { ConfirmationForm } from '../dashboard/account/profile/confirmation-form.tsx';
import { waitForm } from './wait.ts';

/** Requests an email when a sold-out product is back, or cancels the request. */
export function WaitForm({ product, viewer }: { product: ShownProduct; viewer: Viewer | undefined }) {
  const { _id, backInStock: isWaiting = false } = product;
  // The button's new text and the sentence above it show the result.
  const form = useButtonForm(waitForm, { viewer });
  if (!viewer)
    return (
      <ButtonLink to={`${loginPage}?from=${encodeURIComponent(`${purchasePages}/${_id}`)}`}>
        Sign in to be notified when it’s back
      </ButtonLink>
    );
  if (!viewer.emailVerified && !isWaiting)
    return (
      <ConfirmationForm viewer={viewer}>
        Once your address is confirmed, we can tell you when this tool is back.
      </ConfirmationForm>
    );

  return (
    <form {...form.props}>
      <HiddenFields form={form} />
      <input type="hidden" name="product" value={_id} />
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
      <Button type="submit" kind={isWaiting ? 'plain' : 'primary'} busy={form.isBusy} className="w-full">
        {isWaiting ? 'Unsubscribe' : 'Tell me when it’s back'}
      </Button>
    </form>
  );
}
