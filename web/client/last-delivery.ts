import type { Viewer } from '../../contract/pages.ts';
import { isSignedOut } from './api/api-errors.ts';
import type { Client } from './api/client.ts';

/** Where to send an order. */
export type Delivery = { address?: string | undefined; phone?: string | undefined };

/**
 * The address and phone that an order form starts with: those of the last order or, if it has no address or cannot be read, those
 * of the profile.
 */
export async function loadDelivery(client: Client, viewer: Viewer): Promise<Delivery> {
  const orders = await client
    .call('listOwnOrders', { query: { user: viewer.email, limit: 1 } })
    .catch((error: unknown) => {
      if (isSignedOut(error)) throw error;
      return [];
    });
  const { address, phone } = orders.find((order) => order.address) ?? viewer;
  return { address, phone };
}
