import { useSearchParams } from 'react-router';
import type { UnknownPayment } from '../../../../../contract/orders/unknown-payments.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Link } from '../../../../components/link.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { HiddenFields } from '../../../../forms/fields/hidden-fields.tsx';
import { useButtonForm } from '../../../../forms/use-button-form.ts';
import { useRejectedForm } from '../../../../forms/use-rejected-form.ts';
import { useMoney } from '../../../../shop.tsx';
import { settledMessage } from '../settled-message.ts';
import { outcomes, unknownPaymentForm } from './unknown-payment.ts';

/** Lists payments that an admin decides about: the shop never does so by itself. */
export function UnknownPayments({ payments, viewer }: { payments: UnknownPayment[]; viewer: Viewer }) {
  const [search] = useSearchParams();
  const rejected = useRejectedForm(unknownPaymentForm.name);
  const late = payments.filter((payment) => payment.late);
  const missing = payments.filter((payment) => !payment.late);
  return (
    <>
      {rejected?.root && <Notice error>{rejected.root}</Notice>}
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
              <SettlementForm key={payment._id} payment={payment} viewer={viewer} />
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
          <Link to={`${orderPages}/${number}`} className="link max-sm:link-alone">
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

function SettlementForm({ payment, viewer }: { payment: UnknownPayment; viewer: Viewer }) {
  const toast = useToast();
  const form = useButtonForm(unknownPaymentForm, {
    viewer,
    onDone() {
      toast(settledMessage);
      // The form is about to disappear.
      document.querySelector('h1')?.focus();
    },
  });

  return (
    <li className="mt-3 border-t border-rule pt-3">
      <form {...form.props}>
        <HiddenFields form={form} />
        <p className="figures wrap-anywhere">
          <PaymentLine payment={payment} />
        </p>
        <input type="hidden" name="payment" value={payment._id} />
        <div className="mt-2 flex flex-wrap gap-3">
          {outcomes.map(({ outcome, label }) => (
            <Button
              key={outcome}
              type="submit"
              kind="plain"
              name="outcome"
              value={outcome}
              busy={form.isBusy}
            >
              {label}
              <span className="sr-only">{` ${payment._id}`}</span>
            </Button>
          ))}
        </div>
      </form>
    </li>
  );
}
