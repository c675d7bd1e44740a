import { useRef, useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { myOrdersPage } from '../../../../../contract/page-addresses.ts';
import { ButtonLink } from '../../../../components/button.tsx';
import { DeleteDialog } from '../../account/my-orders/delete-order-form.tsx';

/**
 * Deletes an unpaid order, after a confirmation: in a dialog or, without scripts, on My Orders. `others` are the other orders of its
 * purchase.
 */
export function DeleteOrder({ order, others }: { order: Order; others: number }) {
  const [isOpen, setIsOpen] = useState(false);
  const isDeleted = useRef(false);
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();

  function close(): void {
    setIsOpen(false);
    if (!isDeleted.current) return;
    // The Delete button will be gone.
    document.querySelector('h1')?.focus();
    void (others === 0 ? navigate(myOrdersPage) : revalidate());
  }

  return (
    <>
      <ButtonLink
        kind="danger"
        to={`${myOrdersPage}?delete=${order._id}`}
        onClick={(event) => {
          event.preventDefault();
          setIsOpen(true);
        }}
      >
        Delete<span className="sr-only">{` the order for ${order.product}`}</span>
      </ButtonLink>
      {isOpen && (
        <DeleteDialog
          order={order}
          others={others}
          onDeleted={() => {
            isDeleted.current = true;
          }}
          onClose={close}
        />
      )}
    </>
  );
}
