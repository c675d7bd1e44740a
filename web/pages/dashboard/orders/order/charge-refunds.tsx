import type { ReactNode } from 'react';
import { chargeNames } from '../../../../../contract/delivery/charge-names.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Refund } from '../../../../../contract/orders/refunds.ts';
import { useMoney } from '../../../../shop.tsx';
import { RefundList } from './refund-list.tsx';

type Props = {
  charge: NonNullable<Purchase['charges']>[number];
  purchase: Purchase;
  isAdmin: boolean;
  /** The failed refund that is being settled, and the form for it. */
  settling: string | null;
  owedForm: (refund: Refund) => ReactNode;
};

/** The refunds of a charge, such as delivery; nothing if there are none. */
export function ChargeRefunds({
  charge,
  purchase: { number, currency },
  isAdmin,
  settling,
  owedForm,
}: Props) {
  const money = useMoney();
  const { kind, label, amount, owed, refunds = [] } = charge;
  if (refunds.length === 0) return null;
  return (
    <section aria-labelledby={kind} className="mb-10 border-t-2 border-edge pt-4">
      <h2 id={kind} className="text-xl wrap-anywhere">
        {chargeNames[kind]}
      </h2>
      <p className="figures text-soft">{`${label} for ${money.charged(amount, currency)}`}</p>
      <RefundList
        order={{ number, currency, owed, refunds }}
        isAdmin={isAdmin}
        settling={settling}
        form={owedForm}
      />
      {owed !== undefined && (
        <p className="mt-4 max-w-text font-medium text-ruby">
          {isAdmin
            ? `${money.charged(owed, currency)} still owed: a refund has failed.`
            : `We still owe you ${money.charged(owed, currency)} because a refund has failed.`}
        </p>
      )}
    </section>
  );
}
