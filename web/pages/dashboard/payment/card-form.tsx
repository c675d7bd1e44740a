import { CardElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe, StripeCardElement } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/dist/pure.mjs';
import { type FormEvent, useEffect, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Order } from '../../../../contract/orders.ts';
import type { Viewer } from '../../../../contract/pages.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Refusal } from '../../../forms/refusal-message.tsx';
import { session } from '../../../client/session.ts';
import { useMoney, useSettings } from '../../../shop.tsx';
import { cardLook } from './card-look.ts';
import { useSecret } from './secret.ts';
import { findFinalReason, type Unrecorded, UnrecordedPayment } from './unrecorded-payment.tsx';

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
  const { secret, refused, isFinal, again } = useSecret(order);
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [unrecorded, setUnrecorded] = useState<Unrecorded>();

  /** Reports a payment to the shop, which asks the provider whether it has succeeded. */
  async function report(transactionId: string) {
    setBusy(true);
    const body = { order: order._id, transactionId, orderStatus: 'paid' };
    try {
      await session().client.call('markOrderPaid', { params: { id: order._id }, body });
      await revalidate();
    } catch (error) {
      setUnrecorded({ transactionId, reason: findFinalReason(error) });
    }
    setBusy(false);
  }

  async function pay(event: FormEvent) {
    event.preventDefault();
    const card = elements?.getElement(CardElement);
    if (!stripe || !card || !secret || busy) return;
    setBusy(true);
    setWrong(undefined);
    const result = await confirm(stripe, secret, card, viewer).catch(() => undefined);
    const intent = result?.paymentIntent ?? result?.error?.payment_intent;
    if (intent?.status === 'succeeded') return report(intent.id);
    setBusy(false);
    // It may have succeeded anyway. Confirming the same intent again never charges twice.
    if (!result)
      return setWrong(
        'The payment could not be completed. Press Pay again: your card will be charged only once.',
      );
    // Its hold ended while this page stood open, or it was deleted: asking anew tells which.
    if (intent?.status === 'canceled') {
      setWrong('Nothing was charged: this payment had ended meanwhile. Press Pay again.');
      return again();
    }
    if (intent?.status === 'processing')
      return setWrong(
        'Your payment is being processed. Do not pay again: My Orders will show whether it succeeded.',
      );
    setWrong(
      result.error?.message ?? 'The payment is not finished yet. Wait a moment, then look at My Orders.',
    );
  }

  if (unrecorded)
    return (
      <UnrecordedPayment payment={unrecorded} busy={busy} onRetry={() => report(unrecorded.transactionId)} />
    );
  const refusal = refused && (
    <Notice wrong>
      <p className="mb-4">{refused}</p>
      <Button kind="plain" onClick={again}>
        Retry
      </Button>
    </Notice>
  );
  if (isFinal) return refusal;
  return (
    <form method="post" noValidate onSubmit={pay}>
      {refusal}
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

/** The provider may refuse an e-mail address that the shop accepts, and does not need one. */
async function confirm(stripe: Stripe, secret: string, card: StripeCardElement, { name, email }: Viewer) {
  const confirmFor = (billing_details: { name: string; email?: string }) =>
    stripe.confirmCardPayment(secret, {
      payment_method: { card, billing_details },
      return_url: location.href,
    });
  const result = await confirmFor({ name, email });
  return result.error?.code === 'email_invalid' ? confirmFor({ name }) : result;
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
