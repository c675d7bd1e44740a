import type { UnknownPayment } from '../../../../../contract/orders/unknown-payments.ts';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { Link } from '../../../../components/link.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { useMoney } from '../../../../shop.tsx';

/** Lists payments that an admin decides about: the shop never refunds these by itself. */
export function UnknownPayments({ payments }: { payments: UnknownPayment[] }) {
  const late = payments.filter(({ number }) => number !== undefined);
  const missing = payments.filter(({ number }) => number === undefined);
  return (
    <>
      {late.length > 0 && (
        <Notice>
          <p>
            These payments were found after their orders had expired, and not all tools are in stock. Open the
            order to accept or refund the payment.
          </p>
          <PaymentList payments={late} />
        </Notice>
      )}
      {missing.length > 0 && (
        <Notice>
          <p>
            These payments are missing from the shop’s database, for example because a backup was restored.
            Check them with the payment provider, and refund them there if you will not ship anything.
          </p>
          <PaymentList payments={missing} />
        </Notice>
      )}
    </>
  );
}

function PaymentList({ payments }: { payments: UnknownPayment[] }) {
  const money = useMoney();
  return (
    <ul className="mt-2 figures">
      {payments.map(({ _id, price, currency, seenAt, number }) => (
        <li key={_id} className="wrap-anywhere">
          {number && (
            <>
              <Link to={`/dashboard/orders/${number}`} className="link max-sm:link-alone">
                {number}
              </Link>
              {' · '}
            </>
          )}
          {money.charged(price, currency)} · {_id} · <Moment at={seenAt} />
        </li>
      ))}
    </ul>
  );
}
