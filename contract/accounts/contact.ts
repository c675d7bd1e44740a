import { z } from 'zod';
import type { Call } from '../call.ts';
import { modifiedCount, newEmail, page, text, time } from '../fields.ts';
import { paths } from '../paths.ts';

export const contactMessage = z.object({ email: newEmail, message: text('Message', 2000) });

const newSubscription = z.object({ email: newEmail });

const subscriptionLink = z.object({
  token: z.string('Token is Required').max(1000, 'Token is not known').describe("From the message's link."),
});

const subscriber = z.object({
  _id: z.string(),
  email: z.string(),
  confirmedAt: time,
  unsubscribeUrl: z
    .string()
    .describe('POST ends the subscription without sign-in (RFC 8058); GET shows a page that asks first.'),
});
export type Subscriber = z.output<typeof subscriber>;

const accepted = z.object({ accepted: z.literal(true) });

export const contactCalls = {
  sendContactMessage: {
    ...paths.sendContactMessage,
    summary:
      'Send the shopkeeper a message; 404 unless `CONTACT_EMAIL` is set, 409 while 10,000 messages wait for an answer',
    access: 'everyone',
    body: contactMessage,
    response: accepted,
    errors: [404, 429],
    conflicts: ['conflict'],
  },
  subscribe: {
    ...paths.subscribe,
    summary: 'Send an address a link that subscribes it to the newsletter; 404 unless `NEWSLETTER` is set',
    access: 'everyone',
    body: newSubscription,
    response: accepted.describe('The same whether or not the address is already subscribed.'),
    errors: [404, 429],
  },
  confirmSubscription: {
    ...paths.confirmSubscription,
    summary: 'Subscribe the address that the link was sent to',
    access: 'everyone',
    body: subscriptionLink,
    response: modifiedCount,
    errors: [404],
  },
  listSubscribers: {
    ...paths.listSubscribers,
    summary: "List the newsletter's confirmed addresses",
    access: 'admin',
    query: page.extend({
      format: z.literal('csv', 'Format must be csv').optional().describe('Download all of them as CSV.'),
    }),
    response: z.array(subscriber),
  },
} as const satisfies Record<string, Call>;
