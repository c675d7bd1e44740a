import type Stripe from 'stripe';
import type { StripeCall } from './call.ts';
import { disputeCalls } from './disputes.ts';
import { intentCalls } from './intents.ts';
import { getObject } from './objects.ts';
import { refundCalls } from './refunds.ts';

const accountCalls: StripeCall[] = [
  {
    name: 'GET /v1/account',
    params: {},
    async handle({ keys }) {
      const body: Stripe.Account = {
        id: keys.account,
        object: 'account',
        charges_enabled: true,
        country: 'US',
        default_currency: 'usd',
        details_submitted: true,
        email: null,
        payouts_enabled: true,
        type: 'standard',
      };
      return { status: 200, body };
    },
  },
];

const chargeCalls: StripeCall[] = [
  {
    name: 'GET /v1/charges/:id',
    params: {},
    handle: async ({ db, id }) => ({ status: 200, body: (await getObject(db, 'charge', id)).object }),
  },
];

const calls = [...intentCalls, ...chargeCalls, ...refundCalls, ...disputeCalls, ...accountCalls].map(
  (call) => {
    const pattern = call.name.replace(':id', '(?<id>[^/]+)');
    return { call, pattern: new RegExp(`^${pattern}$`) };
  },
);

export const callNames = calls.map(({ call }) => call.name);

/** Finds the call for a method and path. `id` is the path's `:id`, or ''. */
export function findCall(method: string, path: string): { call: StripeCall; id: string } | undefined {
  for (const { call, pattern } of calls) {
    const match = pattern.exec(`${method} ${path}`);
    if (match) return { call, id: match.groups?.id ?? '' };
  }
  return undefined;
}
