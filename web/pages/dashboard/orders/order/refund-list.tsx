import type { ReactNode } from 'react';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Refund } from '../../../../../contract/orders/refunds.ts';
import { ButtonLink } from '../../../../components/button.tsx';
import { useLocalDay } from '../../../../components/moment.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { useMoney } from '../../../../shop.tsx';
import { describeFailedRefund, describeRefundFailure } from './provider-reasons.ts';
import { refundReasonLabels } from './refund.ts';

type Props = {
  order: Order;
  isAdmin: boolean;
  /** The failed refund that an admin is settling, and the form for it. */
  settling: string | null;
  form: (refund: Refund) => ReactNode;
};

/** The refunds of an order: for the customer, the amounts and dates; for an admin, also the reasons and by whom. */
export function RefundList({ order, isAdmin, settling, form }: Props) {
  const { refunds = [], currency, number } = order;
  if (refunds.length === 0) return null;
  return (
    <ul className="mt-4 flex flex-col gap-4 border-l-2 border-brass pl-4">
      {refunds.map((refund) => (
        <li key={refund._id} className="max-w-text break-inside-avoid">
          <Outcome refund={refund} currency={currency} isAdmin={isAdmin} />
          {isAdmin && <Details refund={refund} />}
          {isAdmin && refund.owed !== undefined && (
            <div className="mt-2 print:hidden">
              {settling === refund._id ? (
                form(refund)
              ) : (
                <ButtonLink
                  kind="plain"
                  to={`/dashboard/orders/${number}?owed=${refund._id}`}
                  preventScrollReset
                >
                  Refund again or settle…
                </ButtonLink>
              )}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

const outcomes: Record<
  Refund['status'],
  { tone: 'done' | 'open' | 'wrong'; word: string; describe: (day: string) => string }
> = {
  pending: {
    tone: 'open',
    word: 'refund pending',
    describe: (day) => `Requested on ${day}. The payment provider is still processing it.`,
  },
  succeeded: {
    tone: 'done',
    word: 'refunded',
    // https://docs.stripe.com/refunds
    describe: (day) =>
      `Sent back to the card on ${day}. It can take the bank 5 to 10 business days to credit it.`,
  },
  failed: {
    tone: 'wrong',
    word: 'refund failed',
    describe: (day) => `The bank rejected it on ${day}. The shop will pay you back another way.`,
  },
  canceled: { tone: 'wrong', word: 'refund cancelled', describe: (day) => `Cancelled on ${day}.` },
};

/** The outcome of a failed refund. */
const settledTexts: Record<NonNullable<Refund['outcome']>, string> = {
  refunded: 'It failed, and was refunded again.',
  repaid: 'It failed, and was paid back another way.',
  nothing_owed: 'It failed, and nothing is owed.',
};

type OutcomeProps = { refund: Refund; currency: string; isAdmin: boolean };

function Outcome({ refund, currency, isAdmin }: OutcomeProps) {
  const money = useMoney();
  const day = useLocalDay(refund.updatedAt);
  const { tone, word, describe } = outcomes[refund.status];
  const { quantity = 0 } = refund;
  return (
    <>
      <span className="flex flex-wrap items-baseline gap-x-4">
        <span className="figures font-serif text-lg">
          {quantity > 0 && `${formatQuantity(quantity, 'piece')}, `}
          {money.charged(refund.amount, currency)}
        </span>
        <StatusBadge tone={tone}>{word}</StatusBadge>
      </span>
      <span className="block text-soft">
        {refund.outcome
          ? settledTexts[refund.outcome]
          : isAdmin && refund.status === 'failed'
            ? describeFailedRefund(refund.failure ?? '', day)
            : describe(day)}
      </span>
    </>
  );
}

function Details({ refund: { reason, note, restock = 0, requestedBy, failure } }: { refund: Refund }) {
  return (
    <span className="mt-1 block text-sm wrap-anywhere text-soft">
      {`${refundReasonLabels[reason]}. ${requestedBy ? `Requested by ${requestedBy}.` : 'Made in Stripe’s dashboard.'}`}
      {restock > 0 && ` ${formatQuantity(restock, 'piece')} returned to stock.`}
      {failure && <span className="block text-ruby">{describeRefundFailure(failure)}</span>}
      {note && <span className="block whitespace-pre-line">{`Note: ${note}`}</span>}
    </span>
  );
}
