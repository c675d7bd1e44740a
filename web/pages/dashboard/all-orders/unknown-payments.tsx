import type { UnknownPayment } from '../../../../contract/payments.ts';
import { Moment } from '../../../components/moment.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useMoney } from '../../../shop.tsx';

/** Money that came for orders which this database does not have, as after a restore: the admin judges it. */
export function UnknownPayments({ payments }: { payments: UnknownPayment[] }) {
  const money = useMoney();
  if (payments.length === 0) return null;
  return (
    <Notice>
      <p>
        Money has come for orders that are not here, as after a restored backup. Look at it at the payment
        provider, and give it back there where no order is to be sent.
      </p>
      <ul className="mt-2 figures">
        {payments.map(({ _id, price, currency, seenAt }) => (
          <li key={_id} className="wrap-anywhere">
            {money.charged(price, currency)} · {_id} · <Moment at={seenAt} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
