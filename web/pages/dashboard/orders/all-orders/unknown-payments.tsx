import { type FormEvent, useState } from 'react';
import { useActionData, useRevalidator, useSearchParams } from 'react-router';
import type { UnknownPayment } from '../../../../../contract/orders/unknown-payments.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Link } from '../../../../components/link.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import type { RejectedForm } from '../../../../forms/shop-form.ts';
import { useMoney } from '../../../../shop.tsx';
import { settledMessage } from '../settled-message.ts';

const outcomes = [
  { outcome: 'paid', label: 'Pay the order with it' },
  { outcome: 'refunded', label: 'Refund it' },
  { outcome: 'dismissed', label: 'Dismiss' },
] as const;
type Outcome = (typeof outcomes)[number]['outcome'];
type Failure = { payment: string; message: string };

/** Lists payments that an admin decides about: the shop never does so by itself. */
export function UnknownPayments({ payments, viewer }: { payments: UnknownPayment[]; viewer: Viewer }) {
  const [search] = useSearchParams();
  const rejected = useActionData<RejectedForm>();
  const [failed, setFailed] = useState<Failure | undefined>(
    rejected?.root && rejected.values.payment
      ? { payment: rejected.values.payment, message: rejected.root }
      : undefined,
  );
  const late = payments.filter((payment) => payment.late);
  const missing = payments.filter((payment) => !payment.late);
  // The order may not have been able to take a payment, which has then left the list.
  const hasLeft = failed && !missing.some(({ _id }) => _id === failed.payment);
  return (
    <>
      {hasLeft && <Notice error>{failed.message}</Notice>}
      {search.get('done') === 'settled' && <Notice done>{settledMessage}</Notice>}
      {late.length > 0 && (
        <Notice>
          <p>
            These payments were found after their orders had expired, and not all tools are in stock. Open the
            order to accept or refund the payment.
          </p>
          <ul className="mt-2 figures">
            {late.map((payment) => (
              <li key={payment._id} className="wrap-anywhere">
                <PaymentLine payment={payment} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {missing.length > 0 && (
        <Notice>
          <p>
            These payments are missing from the shop’s database, for example because a backup was restored. If
            you dismiss one, its money stays with the payment provider.
          </p>
          <ul className="mt-2">
            {missing.map((payment) => (
              <SettlementForm
                key={payment._id}
                payment={payment}
                viewer={viewer}
                error={failed?.payment === payment._id ? failed.message : undefined}
                setFailed={setFailed}
              />
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

function PaymentLine({
  payment: { _id, price, currency, number, late, seenAt },
}: {
  payment: UnknownPayment;
}) {
  const money = useMoney();
  return (
    <>
      {number &&
        (late ? (
          <Link to={`/dashboard/orders/${number}`} className="link max-sm:link-alone">
            {number}
          </Link>
        ) : (
          `Order ${number}`
        ))}
      {number && ' · '}
      {money.charged(price, currency)} · {_id} · <Moment at={seenAt} />
    </>
  );
}

type FormProps = {
  payment: UnknownPayment;
  viewer: Viewer;
  error: string | undefined;
  setFailed: (failure: Failure | undefined) => void;
};

function SettlementForm({ payment, viewer, error, setFailed }: FormProps) {
  const { _id: id } = payment;
  const toast = useToast();
  const { revalidate } = useRevalidator();
  const [busy, setBusy] = useState<string>();

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const pressed = submitter instanceof HTMLButtonElement ? submitter.value : '';
    const chosen = outcomes.find(({ outcome }) => outcome === pressed)?.outcome;
    if (busy || !chosen) return;
    setBusy(chosen);
    setFailed(undefined);
    try {
      await settle(id, chosen);
      toast(settledMessage);
      // The form is about to disappear.
      document.querySelector('h1')?.focus();
    } catch (failure) {
      setFailed({ payment: id, message: getErrorMessage(failure) });
    }
    await revalidate();
    setBusy(undefined);
  }

  return (
    <li className="mt-3 border-t border-rule pt-3">
      <form method="post" onSubmit={send}>
        <p className="figures wrap-anywhere">
          <PaymentLine payment={payment} />
        </p>
        <input type="hidden" name="viewer" value={viewer._id} />
        <input type="hidden" name="form" value="unknown-payment" />
        <input type="hidden" name="payment" value={id} />
        <div className="mt-2 flex flex-wrap gap-3">
          {outcomes.map(({ outcome, label }) => (
            <Button
              key={outcome}
              type="submit"
              kind="plain"
              name="outcome"
              value={outcome}
              busy={busy === outcome}
            >
              {label}
              <span className="sr-only">{` ${id}`}</span>
            </Button>
          ))}
        </div>
        {error && <ErrorMessage id={`${id}-error`}>{error}</ErrorMessage>}
      </form>
    </li>
  );
}

const settle = (id: string, outcome: Outcome) =>
  getSession().client.call('settleUnknownPayment', { params: { id }, body: { outcome } });
