import type { Order } from '../../../../../contract/orders/orders.ts';

/** Why an admin may not want to ship a paid order. */
export function findShippingWarning(order: Order): { title: string; text: string } | undefined {
  const { product, userName, user, address, price, refunded, refundPending = 0, disputed } = order;
  if (refunded >= price)
    return {
      title: `Ship ${product}, which ${refundPending > 0 ? 'is being' : 'has been'} refunded?`,
      text: `${userName} gets all of the money back.`,
    };
  if (disputed)
    return {
      title: `Ship ${product} during a dispute?`,
      text: `${userName} has disputed the payment. If the bank sides with the customer, the money for it is lost.`,
    };
  if (address) return undefined;
  return {
    title: `Ship ${product} without an address?`,
    text: user
      ? `${userName} gave no address. Write to ${user} first and ask for one.`
      : `${userName} gave no address and has deleted the account.`,
  };
}
