import type { Order } from '../../../../../contract/orders/orders.ts';
import { myOrdersPage } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { deleteForm } from './delete-order.ts';

/** Describes the effect of deleting an order; `others` are the other orders of its purchase. */
export function describeDeletion(others: number): string {
  const rest = others === 0 ? '' : 'The other tools in this order stay, and you pay only for them. ';
  return `Its pieces go back on sale. ${rest}This cannot be undone.`;
}

/** Asks for confirmation before deleting an order, in place of the dialog, which needs scripts. */
export function DeleteForm({ order, others, viewer }: { order: Order; others: number; viewer: Viewer }) {
  return (
    <form method="post" action={myOrdersPage} className="mb-8 border-l-4 border-ruby bg-leaf px-4 py-3">
      <input type="hidden" name="form" value={deleteForm.name} />
      <input type="hidden" name="viewer" value={viewer._id} />
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
