import type { Order } from '../../../../../contract/orders/orders.ts';

/** Moves the focus to the heading of an order, since the form that had it disappears. */
export const focusOrder = ({ _id }: Pick<Order, '_id'>): void => document.getElementById(_id)?.focus();
