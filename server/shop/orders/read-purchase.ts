import type { Purchase } from '../../../contract/orders/purchases.ts';
import type { Note } from '../../../contract/orders/shipping.ts';
import type { Db } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { Shop } from '../shop.ts';
import { readDetails } from './details.ts';
import { listNotes } from './notes.ts';
import { type PurchaseOrders, toPurchase } from './purchases.ts';
import { findLatePayment } from './queries.ts';

/** A purchase on the wire, with everything that the viewer may see of it. */
export async function readPurchase(
  { database: { db } }: Shop,
  viewer: SessionUser,
  orders: PurchaseOrders,
): Promise<Purchase> {
  const { describe, charges, checkout, purchaseRefunds } = await readDetails(db, viewer, orders);
  const purchase = toPurchase(orders, describe, charges);
  const latePayment = orders[0].status === 'expired' ? await findLatePayment(db, purchase._id) : undefined;
  return {
    ...purchase,
    ...checkout,
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
