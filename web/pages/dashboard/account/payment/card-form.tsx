import { CardElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe, StripeCardElement, StripeCardElementChangeEvent } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/dist/pure.mjs';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { getSession } from '../../../../client/session.ts';
import { Button, getButtonClass } from '../../../../components/button.tsx';
import { CardMarks } from '../../../../components/card-marks.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { useMoney, useSettings } from '../../../../shop.tsx';
import { sumAmounts } from '../my-orders/purchases.ts';
import { ChargeLines } from './charge-lines.tsx';
import { PayBar } from './pay-bar.tsx';

type Props = {
  purchase: Purchase;
  /** One of the purchase's orders. Marking it paid marks all of them paid. */
  orderId: string;
  viewer: Viewer;
  /** Called with a complete card. Resolves to `false` if the card must not be charged yet. */
  checkDelivery: () => Promise<boolean>;
};

const formId = 'card-form';

/** Presses Pay once more. */
export function payAgain(): void {
  const form = document.getElementById(formId);
  if (form instanceof HTMLFormElement) form.requestSubmit();
}

/** A payment that succeeded but is not recorded yet; `reason` is set if it never will be recorded. */
type Unrecorded = { transactionId: string; reason: string | undefined };

/** The card field and its Pay button. The provider's own frame sends the card's number only to the provider. */
export function CardForm(props: Props) {
  const { stripePublishableKey } = useSettings();
  const [provider, setProvider] = useState<Stripe | null>(null);
  const [scriptMissing, setScriptMissing] = useState(false);
  useEffect(() => {
    // The document's script tag has run by now. If it failed, `loadStripe` must not insert another.
    if (!('Stripe' in window)) return setScriptMissing(true);
    loadStripe(stripePublishableKey).then(setProvider, () => setScriptMissing(true));
  }, [stripePublishableKey]);
  if (scriptMissing)
    return (
      <Failure onRetry={() => location.reload()}>
        The card field could not be loaded. Nothing was charged.
      </Failure>
    );
  return (
    <Elements stripe={provider}>
      <PayForm {...props} />
    </Elements>
  );
}

function Failure({ children, onRetry }: { children: string; onRetry: () => void }) {
  return (
    <Notice error>
      <p className="mb-4">{children}</p>
      <Button kind="plain" onClick={onRetry}>
        Retry
      </Button>
    </Notice>
  );
}

function PayForm({ purchase, orderId, viewer, checkDelivery }: Props) {
  const stripe = useStripe();
  const elements = useElements();
  const money = useMoney();
  const { sandbox } = useSettings();
  const { revalidate } = useRevalidator();
  const { secret, error: intentError, isFinal, retry } = useClientSecret(purchase);
  const [cardError, setCardError] = useState<string>();
  const [isComplete, setIsComplete] = useState(false);
  const [busy, setBusy] = useState(false);
  const [unrecorded, setUnrecorded] = useState<Unrecorded>();
  const payButton = useRef<HTMLButtonElement>(null);
  const [shownVersion] = useState(purchase.version);

  /** Reports a payment to the shop, which verifies it with the provider. */
  async function reportPayment(transactionId: string) {
    setBusy(true);
    const body = { order: orderId, transactionId, orderStatus: 'paid' };
    try {
      await getSession().client.call('markOrderPaid', { params: { id: orderId }, body });
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
    setCardError(undefined);
    // The provider says what is missing in the card.
    if (isComplete && !(await checkDelivery())) return setBusy(false);
    const result = await confirmCard(stripe, secret, card, viewer).catch(() => undefined);
    const intent = result?.paymentIntent ?? result?.error?.payment_intent;
    if (intent?.status === 'succeeded') return reportPayment(intent.id);
    setBusy(false);
    // The payment may have succeeded anyway. Confirming the same intent again never charges twice.
    if (!result || result.error?.type === 'api_connection_error')
      return setCardError('The connection was lost. Press Pay again: your card will be charged only once.');
    // The order's hold has ended or the order was deleted. Requesting a new secret tells which.
    if (intent?.status === 'canceled') {
      setCardError(
        purchase.charges
          ? 'Nothing was charged: this payment has expired. Press Pay now again.'
          : 'Nothing was charged: this payment has expired. Press Pay again.',
      );
      // Another window may have changed the delivery.
      if (purchase.charges) await revalidate();
      return retry();
    }
    if (intent?.status === 'processing')
      return setCardError(
        'Your payment is being processed. Do not pay again: My Orders will show whether it succeeded.',
      );
    const problem =
      result.error?.message ?? 'The payment is not finished yet. Wait a moment, then look at My Orders.';
    setCardError(
      result.error?.code === 'card_declined' ? `${problem} Nothing was charged. Try another card.` : problem,
    );
  }

  if (unrecorded)
    return (
      <UnrecordedPayment
        {...unrecorded}
        busy={busy}
        onRetry={() => reportPayment(unrecorded.transactionId)}
      />
    );
  const total = money.charged(purchase.price, purchase.currency);
  const [charge] = purchase.charges ?? [];
  const intentNotice = intentError && <Failure onRetry={retry}>{intentError}</Failure>;
  if (isFinal) return intentNotice;
  return (
    <form id={formId} method="post" noValidate onSubmit={pay}>
      <h2 className="mb-3 text-xl">Pay by card</h2>
      {intentNotice}
      {charge && purchase.version !== shownVersion && (
        <Notice announced>
          {`This order was changed in another window. The total is ${total}: check where and how we send it, then pay.`}
        </Notice>
      )}
      <CardMarks />
      <p className="mt-3 mb-2 text-sm text-soft">
        Your card details go straight to the card provider: number, expiry date, CVC and postal code.
      </p>
      <CardField
        onChange={({ complete, error }) => {
          setIsComplete(complete);
          setCardError(error?.message);
        }}
      />
      {sandbox && (
        <p className="figures mt-2 text-sm text-soft">
          In the sandbox, 4242 4242 4242 4242 works, with any future date, any code and any postal code; 4000
          0000 0000 0002 is declined.
        </p>
      )}
      <div role="alert">{cardError && !intentError && <ErrorMessage>{cardError}</ErrorMessage>}</div>
      {charge ? (
        <div className="mt-6 mb-4">
          <ChargeLines
            goods={sumAmounts(purchase.orders.map(({ price }) => price))}
            currency={purchase.currency}
            delivery={charge}
            total={purchase.price}
          />
        </div>
      ) : (
        <p className="figures mt-6 flex items-baseline justify-between border-t border-rule pt-3">
          <span>Total</span>
          <span className="font-serif text-xl">{total}</span>
        </p>
      )}
      {!charge && <p className="mb-4 text-sm text-soft">We add nothing to this total.</p>}
      <Button ref={payButton} type="submit" disabled={!secret || !stripe} busy={busy} className="w-full">
        {busy ? 'Please Wait, Processing...' : charge ? 'Pay now' : `Pay ${total}`}
      </Button>
      <PayBar total={total} button={payButton}>
        <a href={`#${formId}`} className={getButtonClass('primary')}>
          Pay by card
        </a>
      </PayBar>
    </form>
  );
}

/** Requests the client secret for paying this purchase. `retry` requests it again after an error. */
function useClientSecret({ _id, price }: Purchase) {
  const [state, setState] = useState<{ secret?: string; error?: string; isFinal?: boolean }>({});
  const { revalidate } = useRevalidator();
  const { delivers } = useSettings();
  const [attempt, setAttempt] = useState(0);
  const requestSecret = useCallback(
    async (signal: AbortSignal) => {
      setState({});
      try {
        const body = { price, purchase: _id };
        const { clientSecret } = await getSession().client.call('createPaymentIntent', { body, signal });
        setState({ secret: clientSecret });
      } catch (error) {
        if (signal.aborted) return;
        const { status = 0, type = '' } = error instanceof ApiError ? error.problem : {};
        // Another window has changed the delivery: the current state of the order follows, and the card stays.
        const isOutdated = delivers && /:(price_changed|checkout_incomplete)$/.test(type);
        setState({
          error: error instanceof Error ? error.message : 'The payment cannot be started.',
          // Sold out, paid or deleted: retrying cannot help.
          isFinal: !isOutdated && [402, 404, 409].includes(status),
        });
        // The order may have been paid in the meantime: show the order's current state.
        if (status === 409) await revalidate();
        // Delivery was set up after this document was loaded.
        if (!delivers && type.endsWith(':checkout_incomplete')) location.reload();
      }
    },
    [_id, price, revalidate, delivers],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt requests the secret again, at the current price.
  useEffect(() => {
    const controller = new AbortController();
    void requestSecret(controller.signal);
    return () => controller.abort();
  }, [requestSecret, attempt]);
  return { ...state, retry: () => setAttempt((count) => count + 1) };
}

/** The provider may reject an email address that the shop accepts, and does not need one. */
async function confirmCard(stripe: Stripe, secret: string, card: StripeCardElement, { name, email }: Viewer) {
  const confirmFor = (billing_details: { name: string; email?: string }) =>
    stripe.confirmCardPayment(secret, {
      payment_method: { card, billing_details },
      // Without the fragment of the bar's link.
      return_url: location.origin + location.pathname,
    });
  const result = await confirmFor({ name, email });
  return result.error?.code === 'email_invalid' ? confirmFor({ name }) : result;
}

/** The provider's card field, in the page's current colours. */
function CardField({ onChange }: { onChange: (event: StripeCardElementChangeEvent) => void }) {
  const [cardStyle, setCardStyle] = useState<ReturnType<typeof readCardStyle>>();
  useEffect(() => setCardStyle(readCardStyle()), []);
  return (
    <div className="min-h-12 rounded-control border border-edge bg-leaf px-3 py-3.5 focus-within:outline-3 focus-within:outline-offset-2 focus-within:outline-blued">
      {cardStyle && <CardElement options={{ style: cardStyle }} onChange={onChange} />}
    </div>
  );
}

/** The style of the provider's card field. Our style sheet does not apply inside its frame, so read the colours. */
function readCardStyle() {
  const probe = document.body.appendChild(document.createElement('span'));
  const color = (token: string) => {
    probe.style.color = `var(--color-${token})`;
    return getComputedStyle(probe).color;
  };
  const style = {
    base: {
      color: color('ink'),
      fontSize: '17px',
      fontFamily: 'system-ui, sans-serif',
      iconColor: color('soft'),
      '::placeholder': { color: color('soft') },
    },
    invalid: { color: color('ruby'), iconColor: color('ruby') },
  };
  probe.remove();
  return style;
}

/** Why a payment can never pay this order; the shop refunds such a payment. */
function findFinalReason(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { status, detail } = error.problem;
  if (status === 404)
    return 'This order no longer exists. If your card was charged, the money will be refunded.';
  return status === 409 ? detail : undefined;
}

type UnrecordedProps = Unrecorded & { busy: boolean; onRetry: () => void };

function UnrecordedPayment({ transactionId, reason, busy, onRetry }: UnrecordedProps) {
  const message = reason || 'Your payment went through, but the shop could not record it yet.';
  return (
    <Notice error={Boolean(reason)} announced>
      <p className="mb-2 font-medium">{message}</p>
      {!reason && <p className="mb-2 text-sm">Do not pay again: the shop will record it automatically.</p>}
      <p className="text-sm">
        Transaction <span className="break-all">{transactionId}</span>
      </p>
      {!reason && (
        <Button kind="plain" busy={busy} className="mt-4" onClick={onRetry}>
          Retry
        </Button>
      )}
    </Notice>
  );
}
