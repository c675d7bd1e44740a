import type { UnknownPayment } from '../../../../../contract/orders/unknown-payments.ts';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { useMoney } from '../../../../shop.tsx';

/** Lists payments with this shop's id that are missing from its database. The shop never refunds these by itself. */
export function UnknownPayments({ payments }: { payments: UnknownPayment[] }) {
  const money = useMoney();
  if (payments.length === 0) return null;
  return (
    <Notice>
      <p>
        These payments are missing from the shop’s database, for example because a backup was restored. Check
        them with the payment provider, and refund them there if you will not ship anything.
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
