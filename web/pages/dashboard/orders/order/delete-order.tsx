import { useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { myOrdersPage } from '../../../../../contract/page-addresses.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';
import { ButtonLink } from '../../../../components/button.tsx';
import { ConfirmDialog } from '../../../../components/feedback/dialog.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { describeDeletion } from '../../account/my-orders/delete-order-form.tsx';

/** Deletes an unpaid order, after a confirmation: in a dialog or, without scripts, on My Orders. `others` are the other orders of its purchase. */
export function DeleteOrder({ order: { _id, product }, others }: { order: Order; others: number }) {
  const [isOpen, setIsOpen] = useState(false);
  const toast = useToast();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();

  async function remove(): Promise<void> {
    try {
      await getSession().client.call('deleteOrder', { params: { id: _id } });
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
      return revalidate();
    }
    toast(`Order:${product} is Deleted.`);
    if (others === 0) return navigate(myOrdersPage);
    await revalidate();
    document.querySelector('h1')?.focus();
  }

  return (
    <>
      <ButtonLink
        kind="danger"
        to={`${myOrdersPage}?delete=${_id}`}
        onClick={(event) => {
          event.preventDefault();
          setIsOpen(true);
        }}
      >
        Delete<span className="sr-only">{` the order for ${product}`}</span>
      </ButtonLink>
      {isOpen && (
        <ConfirmDialog
          title={`Delete the order for ${product}?`}
          confirmLabel="Delete the order"
          onConfirm={remove}
          onClose={() => setIsOpen(false)}
        >
          <p className="text-soft">{describeDeletion(others)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
