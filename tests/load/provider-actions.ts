import type { DatabaseLocation } from '../../server/config/config.ts';
import { withDatabases } from '../support/auditor.ts';
import { throwIfRejected } from '../support/shop-client.ts';
import { attempt } from './attempt.ts';
import { type Load, pickOrder } from './load.ts';

/** The secret key of the stand-in for Stripe. */
export function readSecretKey(place: DatabaseLocation): Promise<string> {
  return withDatabases(place, async ({ provider }) => {
    const keys = provider.selectFrom('stripe_setting').select('value').where('name', '=', 'keys');
    const { secretKey }: { secretKey: string } = JSON.parse((await keys.executeTakeFirstOrThrow()).value);
    return secretKey;
  });
}

/** Refunds part of a payment, or everything that is left, as in the provider's dashboard. */
export async function refundAtProvider(load: Load): Promise<void> {
  const { random } = load;
  const [, order] = pickOrder(load, ({ intents }) => intents.size > 0) ?? [];
  const intent = random.pick([...(order?.intents ?? [])]);
  if (!order || !intent) return;
  const amount = 1 + random.below(Math.round(order.price * 100));
  await callProvider(load, '/refunds', {
    payment_intent: intent,
    ...(random.chance(0.7) ? { amount: `${amount}` } : {}),
  });
}

/** Sends evidence about one of the newest disputes; the bank decides at once or keeps it under review. */
export async function answerDispute(load: Load): Promise<void> {
  const { random } = load;
  const listed = await callProvider(load, '/disputes?limit=100');
  const dispute = random.pick((listed?.data ?? []).filter(({ status }) => status.startsWith('needs')));
  const text = random.pick(['winning_evidence', 'losing_evidence', 'A signed delivery note.']) ?? '';
  if (dispute) await callProvider(load, `/disputes/${dispute.id}`, { 'evidence[uncategorized_text]': text });
}

type ListResponse = { data?: { id: string; status: string }[] };

/** Undefined if the provider rejects the call, for example because nothing is left to refund. */
export async function callProvider(
  { ledger, provider: { origin, secretKey, fetch } }: Load,
  path: string,
  form?: Record<string, string>,
): Promise<ListResponse | undefined> {
  const send = async () => {
    const response = await fetch(
      new Request(`${origin}/sandbox/stripe/v1${path}`, {
        headers: { authorization: `Bearer ${secretKey}` },
        ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
      }),
    );
    await throwIfRejected(response);
    const body: ListResponse = await response.json();
    return body;
  };
  // The provider is not under test, and some tests make it fail, so any rejection is expected.
  const outcome = await attempt(ledger, `provider: ${path.split(/[/?]/)[1]}`, send, () => true);
  return outcome && 'value' in outcome ? outcome.value : undefined;
}
