import { CardElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/dist/pure.mjs';
import { type FormEvent, useCallback, useEffect, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Order } from '../../../../contract/orders.ts';
import type { Viewer } from '../../../../contract/pages.ts';
import { CallFailed } from '../../../client.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Refusal } from '../../../components/refusal.tsx';
import { session } from '../../../session.ts';
import { useMoney, useSettings } from '../../../shop.tsx';
import { cardLook } from './card-look.ts';

type Props = { order: Order; viewer: Viewer };

/** The card field and its Pay button. The card's number goes from the provider's own frame to the provider only. */
export function CardForm({ order, viewer }: Props) {
  const { stripePublishableKey } = useSettings();
  const [provider, setProvider] = useState<Stripe | null>(null);
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    // The document's own script has run by now; without it `loadStripe` would fetch another.
    if (!('Stripe' in window)) return setMissing(true);
    loadStripe(stripePublishableKey).then(setProvider, () => setMissing(true));
  }, [stripePublishableKey]);
  if (missing)
    return (
      <Notice wrong>
        <p className="mb-4">The card field did not arrive. Nothing was charged.</p>
        <Button kind="plain" onClick={() => location.reload()}>
          Retry
        </Button>
      </Notice>
    );
  return (
    <Elements stripe={provider}>
      <PayForm order={order} viewer={viewer} />
    </Elements>
  );
}

function PayForm({ order, viewer }: Props) {
  const stripe = useStripe();
  const elements = useElements();
  const money = useMoney();
  const { sandbox } = useSettings();
  const { revalidate } = useRevalidator();
  const { secret, refused, again } = useSecret(order);
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [taken, setTaken] = useState<string>();

  /** Tells the shop of a payment that the provider has taken. The shop asks the provider whether it is so. */
  async function book(transactionId: string) {
    setBusy(true);
    const body = { order: order._id, transactionId, orderStatus: 'paid' };
    try {
      await session().client.call('markOrderPaid', { params: { id: order._id }, body });
      await revalidate();
    } catch {
      setTaken(transactionId);
    }
    setBusy(false);
  }

  async function pay(event: FormEvent) {
    event.preventDefault();
    const card = elements?.getElement(CardElement);
    if (!stripe || !card || !secret || busy) return;
    setBusy(true);
    setWrong(undefined);
    const { name, email } = viewer;
    const { paymentIntent, error } = await stripe.confirmCardPayment(secret, {
      payment_method: { card, billing_details: { name, email } },
    });
    const intent = paymentIntent ?? error?.payment_intent;
    if (intent?.status === 'succeeded') return book(intent.id);
    setBusy(false);
    // Its hold ended while this page stood open, or it was deleted: asking anew tells which.
    if (intent?.status === 'canceled') {
      setWrong('Nothing was charged: this payment had ended meanwhile. Press Pay again.');
      return again();
    }
    setWrong(error?.message ?? 'The payment is not finished. Wait a moment and look at My Orders.');
  }

  if (taken)
    return (
      <Notice>
        <p className="mb-2 font-medium">Your payment has arrived, but the shop could not note it yet.</p>
        <p className="mb-4 text-sm">
          Do not pay again: it will be booked by itself. Transaction{' '}
          <span className="break-all">{taken}</span>
        </p>
        <Button kind="plain" busy={busy} onClick={() => book(taken)}>
          Retry
        </Button>
      </Notice>
    );
  return (
    <form method="post" noValidate onSubmit={pay}>
      {refused && (
        <Notice wrong>
          <p className="mb-4">{refused}</p>
          <Button kind="plain" onClick={again}>
            Retry
          </Button>
        </Notice>
      )}
      <p className="text-sm font-medium">Card</p>
      <p className="mb-1.5 text-sm text-soft">Its number, expiry date, CVC and your postal code.</p>
      <CardField onProblem={setWrong} />
      {sandbox && (
        <p className="figures mt-2 text-sm text-soft">
          In the sandbox 4242 4242 4242 4242 pays, with any later date and any code; 4000 0000 0000 0002 is
          declined.
        </p>
      )}
      <div role="alert">{wrong && !refused && <Refusal>{wrong}</Refusal>}</div>
      <Button type="submit" disabled={!secret || !stripe} busy={busy} className="mt-6 w-full">
        {busy ? 'Please Wait, Processing...' : `Pay ${money.charged(order.price, order.currency)}`}
      </Button>
    </form>
  );
}

/** The provider's frame, drawn in the page's own colours once they are known. */
function CardField({ onProblem }: { onProblem: (problem: string | undefined) => void }) {
  const [look, setLook] = useState<ReturnType<typeof cardLook>>();
  useEffect(() => setLook(cardLook()), []);
  return (
    <div className="min-h-12 rounded-control border border-edge bg-leaf px-3 py-3.5 focus-within:outline-3 focus-within:outline-offset-2 focus-within:outline-blued">
      {look && <CardElement options={{ style: look }} onChange={({ error }) => onProblem(error?.message)} />}
    </div>
  );
}

/** The secret with which this order is paid; asked for when the page is opened, and again after a refusal. */
function useSecret({ _id, price }: Order) {
  const [answer, setAnswer] = useState<{ secret?: string; refused?: string }>({});
  const { revalidate } = useRevalidator();
  const ask = useCallback(
    async (signal: AbortSignal) => {
      setAnswer({});
      try {
        const body = { price, order: _id };
        const { clientSecret } = await session().client.call('createPaymentIntent', { body, signal });
        setAnswer({ secret: clientSecret });
      } catch (error) {
        if (signal.aborted) return;
        setAnswer({ refused: error instanceof Error ? error.message : 'The payment cannot be started.' });
        // It may have been paid in the meantime: show how the order stands.
        if (error instanceof CallFailed && error.problem.status === 409) await revalidate();
      }
    },
    [_id, price, revalidate],
  );
  useEffect(() => {
    const stop = new AbortController();
    void ask(stop.signal);
    return () => stop.abort();
  }, [ask]);
  return { ...answer, again: () => ask(new AbortController().signal) };
}
