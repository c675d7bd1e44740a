import type { Purchase } from '../../../contract/orders/purchases.ts';
import type { Note } from '../../../contract/orders/shipping.ts';
import type { Db } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { Shop } from '../shop.ts';
import { readDetails } from './details.ts';
import { listNotes } from './notes.ts';
import { type PurchaseOrders, toPurchase } from './purchases.ts';
import { findLatePayment, type OrderRow } from './queries.ts';

/** A purchase on the wire, with everything that the viewer may see of it. */
export async function readPurchase(
  { database: { db } }: Shop,
  viewer: SessionUser,
  orders: PurchaseOrders,
): Promise<Purchase> {
  const { describe, checkout, chargeRefunds, purchaseRefunds } = await readDetails(db, viewer, orders);
  // The refunds of charges are in the history of one order, so that the purchase lists them once.
  const describeOne = (order: OrderRow) => describe(order, order === orders[0] ? chargeRefunds : []);
  const purchase = toPurchase(orders, describeOne, checkout.charges);
  const latePayment = orders[0].status === 'expired' ? await findLatePayment(db, purchase._id) : undefined;
  return {
    ...purchase,
    ...checkout.fields,
    ...(latePayment ? { latePayment } : {}),
    ...purchaseRefunds,
    ...(await readNotes(db, viewer, purchase._id)),
  };
}

/** Reads the notes for an admin. Customers get none. */
export async function readNotes(
  db: Db,
  viewer: SessionUser,
  purchaseId: string,
): Promise<{ notes?: Note[] }> {
  const notes = viewer.role === 'admin' ? await listNotes(db, purchaseId) : [];
  return notes.length > 0 ? { notes } : {};
}
