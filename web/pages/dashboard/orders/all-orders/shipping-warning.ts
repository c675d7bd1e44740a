import type { Order } from '../../../../../contract/orders/orders.ts';

/** Why an admin may not want to ship a paid order. */
export function findShippingWarning(order: Order): { title: string; text: string } | undefined {
  const { product, userName, user, address, price, refunded, refundPending = 0, disputed } = order;
  const { orderQuantity, refundedQuantity = 0 } = order;
  if (refunded < price && refundedQuantity >= orderQuantity)
    return {
      title: `Ship ${product}, whose pieces are all refunded?`,
      text: `${userName} gets them all refunded, but not all of the money.`,
    };
  if (refunded >= price)
    return {
      title: `Ship ${product}, which ${refundPending > 0 ? 'is being' : 'has been'} refunded?`,
      text: `${userName} gets all of the money back.`,
    };
  if (order.chargedBack !== undefined)
    return {
      title: `Ship ${product} although its payment was charged back?`,
      text: `${userName} has disputed the payment, and the bank has taken the money back. Select it only if you want to send it anyway.`,
    };
  if (order.unassigned !== undefined)
    return {
      title: `Ship ${product}? A refund of this order is not assigned.`,
      text: `Part of this order was refunded in Stripe’s dashboard. Open the order and assign the refund to a tool.`,
    };
  if (disputed)
    return {
      title: `Ship ${product} during a dispute?`,
      text: `${userName} has disputed the payment. If the bank sides with the customer, the money is lost.`,
    };
  if (address) return undefined;
  return {
    title: `Ship ${product} without an address?`,
    text: describeMissingAddress(userName, user),
  };
}

/** `email` is empty once the customer has deleted their account. */
export const describeMissingAddress = (customer: string, email: string): string =>
  email
    ? `${customer} gave no address. Write to ${email} first and ask for one.`
    : `${customer} gave no address and has deleted their account.`;
