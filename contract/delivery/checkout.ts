import { z } from 'zod';
import type { Call } from '../call.ts';
import { id } from '../fields.ts';
import { newPurchase, purchase } from '../orders/purchases.ts';
import { paths } from '../paths.ts';
import { checkout, destination, quote } from './quotes.ts';

export const checkoutCalls = {
  quoteLines: {
    ...paths.quoteLines,
    summary: 'Calculate the price of products with delivery, for a basket or a product',
    access: 'everyone',
    body: destination.extend({ lines: newPurchase.shape.lines }),
    response: quote,
    errors: [429],
  },
  quotePurchase: {
    ...paths.quotePurchase,
    summary: 'Calculate the price of a purchase with delivery',
    access: 'owner-or-admin',
    params: z.object({ id }),
    query: destination,
    response: quote,
  },
  saveCheckout: {
    ...paths.saveCheckout,
    summary: 'Choose where and how a purchase is sent; nothing is paid yet',
    access: 'owner',
    params: z.object({ id }),
    body: checkout,
    response: purchase,
    errors: [402, 429],
    conflicts: [
      'checkout_incomplete',
      'price_changed',
      'purchase_changed',
      'already_paid',
      'order_expired',
      'payment_processing',
      'conflict',
    ],
  },
} as const satisfies Record<string, Call>;
