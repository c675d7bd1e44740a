import { contract } from '../../../contract/contract.ts';
import { stopBackInStockPage, unsubscribePage } from '../../../contract/page-addresses.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import { stopBackInStock } from '../products/back-in-stock.ts';
import type { Shop } from '../shop.ts';
import { receiveContactMessage } from './contact.ts';
import { listContactMessages, markMessages } from './messages.ts';
import { confirmSubscription, listSubscribers, requestSubscription, unsubscribe } from './newsletter.ts';

const accepted = { accepted: true } as const;

export function mountContact(calls: Calls, shop: Shop): void {
  route(calls, contract.sendContactMessage, async ({ body, viewer, address }) => {
    await receiveContactMessage(shop, body, viewer, address);
    return accepted;
  });

  route(calls, contract.listContactMessages, ({ query }) => listContactMessages(shop.database.db, query));

  route(calls, contract.markContactMessages, async ({ body, viewer }) => ({
    modifiedCount: await markMessages(shop, body, viewer),
  }));

  route(calls, contract.subscribe, async ({ body, address }) => {
    await requestSubscription(shop, body.email, address);
    return accepted;
  });

  route(calls, contract.confirmSubscription, async ({ body }) => ({
    modifiedCount: await confirmSubscription(shop, body.token),
  }));

  route(calls, contract.listSubscribers, ({ query }) => listSubscribers(shop, query));
}

/** Maps an unsubscribe page's path to the function that ends its subscription. */
const subscriptions: Record<string, (shop: Shop, token: string) => Promise<void>> = {
  [unsubscribePage]: unsubscribe,
  [stopBackInStockPage]: stopBackInStock,
};
export const unsubscribePaths = Object.keys(subscriptions);

/**
 * Ends the subscription named in the URL. The request comes from a mail program (RFC 8058), which sends neither cookies nor an
 * origin and follows no redirects, or from the form on the page. The body is ignored.
 */
export async function handleUnsubscribe(
  shop: Shop,
  { headers }: Request,
  { pathname, searchParams }: URL,
): Promise<Response> {
  const token = searchParams.get('token') ?? '';
  // PostgreSQL rejects NUL characters.
  if (/^[\w-]+$/.test(token)) await subscriptions[pathname]?.(shop, token);
  const isPage = headers.has('origin') || headers.has('sec-fetch-site');
  return isPage
    ? new Response(null, { status: 303, headers: { location: `${pathname}?done=yes` } })
    : new Response('You are unsubscribed.\n', { headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
