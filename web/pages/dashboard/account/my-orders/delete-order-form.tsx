import { useRevalidator } from 'react-router';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { myOrdersPage } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { isUnreachable } from '../../../../client/api/api-errors.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { ConfirmDialog } from '../../../../components/feedback/dialog.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { HiddenFields } from '../../../../forms/fields/hidden-fields.tsx';
import { deleteForm } from './delete-order.ts';

/** Describes the effect of deleting an order; `others` are the other orders of its purchase. */
function describeDeletion(others: number): string {
  const rest = others === 0 ? '' : 'The other tools in this order stay, and you pay only for them. ';
  return `Its pieces go back on sale. ${rest}This cannot be undone.`;
}

/** Asks for confirmation before deleting an order, in place of the dialog, which needs scripts. */
export function DeleteForm({ order, others, viewer }: { order: Order; others: number; viewer: Viewer }) {
  return (
    <form method="post" action={myOrdersPage} className="mb-8 border-l-4 border-ruby bg-leaf px-4 py-3">
      <HiddenFields form={{ name: deleteForm.name, viewer }} />
      <input type="hidden" name="order" value={order._id} />
      <h2 className="mb-2 text-xl">Delete the order for {order.product}?</h2>
      <p className="mb-4 text-soft">{describeDeletion(others)}</p>
      <div className="flex flex-wrap gap-3">
        <ButtonLink kind="plain" to={myOrdersPage}>
          Keep it
        </ButtonLink>
        <Button type="submit" kind="danger">
          Delete the order
        </Button>
      </div>
    </form>
  );
}

type DialogProps = {
  order: Order;
  /** The number of other orders in its purchase. */
  others: number;
  /** Called once the order is deleted. After a failure, the page is loaded again instead. */
  onDeleted: () => unknown;
  onClose: () => void;
};

/** Asks for confirmation, then deletes an unpaid order. */
export function DeleteDialog({ order: { _id, product }, others, onDeleted, onClose }: DialogProps) {
  const toast = useToast();
  const { revalidate } = useRevalidator();

  async function remove(): Promise<void> {
    try {
      await getSession().client.call('deleteOrder', { params: { id: _id } });
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
      if (!isUnreachable(error)) await revalidate();
      return;
    }
    toast(`Order:${product} is Deleted.`);
    await onDeleted();
  }

  return (
    <ConfirmDialog
      title={`Delete the order for ${product}?`}
      confirmLabel="Delete the order"
      onConfirm={remove}
      onClose={onClose}
    >
      <p className="text-soft">{describeDeletion(others)}</p>
    </ConfirmDialog>
  );
}
