import type { DatabaseLocation } from '../../server/config/config.ts';
import { withDatabases } from '../support/auditor.ts';
import type { LoadContext } from './customer-actions.ts';
import { attempt, throwIfRejected } from './requests.ts';

/** The secret key of the stand-in for Stripe. */
export function readSecretKey(place: DatabaseLocation): Promise<string> {
  return withDatabases(place, async ({ provider }) => {
    const keys = provider.selectFrom('stripe_setting').select('value').where('name', '=', 'keys');
    const { secretKey }: { secretKey: string } = JSON.parse((await keys.executeTakeFirstOrThrow()).value);
    return secretKey;
  });
}

/** Refunds part of a payment, or everything that is left, as in the provider's dashboard. */
export async function refundAtProvider(context: LoadContext): Promise<void> {
  const { random, ledger } = context;
  const order = random.pick([...ledger.orders.values()].filter(({ intents }) => intents.size > 0));
  const intent = random.pick([...(order?.intents ?? [])]);
  if (!order || !intent) return;
  const amount = 1 + random.below(Math.round(order.price * 100));
  await callProvider(context, '/refunds', {
    payment_intent: intent,
    ...(random.chance(0.7) ? { amount: `${amount}` } : {}),
  });
}

/** Sends evidence about one of the newest disputes; the bank decides at once or keeps it under review. */
export async function answerDispute(context: LoadContext): Promise<void> {
  const { random } = context;
  const listed = await callProvider(context, '/disputes?limit=100');
  const dispute = random.pick((listed?.data ?? []).filter(({ status }) => status.startsWith('needs')));
  const text = random.pick(['winning_evidence', 'losing_evidence', 'A signed delivery note.']) ?? '';
  if (dispute)
    await callProvider(context, `/disputes/${dispute.id}`, { 'evidence[uncategorized_text]': text });
}

type ListResponse = { data?: { id: string; status: string }[] };

/** Undefined if the provider rejects the call, for example because nothing is left to refund. */
async function callProvider(
  { origin, ledger, secretKey, providerOrigin = origin }: LoadContext,
  path: string,
  form?: Record<string, string>,
): Promise<ListResponse | undefined> {
  const outcome = await attempt(ledger, async () => {
    const response = await fetch(`${providerOrigin}/sandbox/stripe/v1${path}`, {
      headers: { authorization: `Bearer ${secretKey}` },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    await throwIfRejected(response);
    const body: ListResponse = await response.json();
    return body;
  });
  return outcome && 'value' in outcome ? outcome.value : undefined;
}
