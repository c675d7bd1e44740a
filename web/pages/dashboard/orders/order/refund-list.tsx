import type { ReactNode } from 'react';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Refund } from '../../../../../contract/orders/refunds.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { ButtonLink } from '../../../../components/button.tsx';
import { useLocalDay } from '../../../../components/moment.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { useMoney } from '../../../../shop.tsx';
import { describeFailedRefund, describeRefundFailure } from './provider-reasons.ts';
import { refundReasonLabels } from './refund.ts';

/** The order, or the charge of a purchase, whose refunds are shown. */
type Refunded = Pick<Order, 'refunds' | 'number' | 'currency' | 'owed'>;

type Props = {
  order: Refunded;
  isAdmin: boolean;
  /** The failed refund that an admin is settling, and the form for it. */
  settling: string | null;
  form: (refund: Refund) => ReactNode;
};

/** The refunds of an order: for the customer, the amounts and dates; for an admin, also the reasons and by whom. */
export function RefundList({ order, isAdmin, settling, form }: Props) {
  const { refunds = [], number } = order;
  if (refunds.length === 0) return null;
  return (
    <ul className="mt-4 flex flex-col gap-4 border-l-2 border-brass pl-4">
      {refunds.map((refund) => (
        <li key={refund._id} className="max-w-text break-inside-avoid">
          <Outcome refund={refund} order={order} isAdmin={isAdmin} />
          {isAdmin && <Details refund={refund} />}
          {isAdmin && refund.owed !== undefined && findReplacement(order, refund)?.status !== 'pending' && (
            <div className="mt-2 print:hidden">
              {settling === refund._id ? (
                form(refund)
              ) : (
                <ButtonLink kind="plain" to={`${orderPages}/${number}?owed=${refund._id}`} preventScrollReset>
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

/** The newest refund that pays the amount of a failed one again. */
const findReplacement = ({ refunds = [] }: Refunded, { _id }: Refund): Refund | undefined =>
  refunds.findLast(({ replaces }) => replaces === _id);

/** Says how a failed refund's amount was settled; undefined if it was not. `owed` is the amount still owed for the order. */
function describeSettlement(
  refund: Refund,
  replacement: Refund | undefined,
  owed: string | undefined,
): string | undefined {
  if (replacement?.status === 'pending') return 'It failed, and is being refunded again.';
  if (refund.outcome === 'repaid') return 'It failed, and was paid back another way.';
  if (refund.outcome === 'nothing_owed')
    return owed
      ? `It failed. Nothing is owed for it: the ${owed} still owed is for another refund.`
      : 'It failed, and nothing is owed.';
  if (refund.outcome !== 'refunded') return undefined;
  return replacement && replacement.status !== 'succeeded'
    ? 'It failed, and so did the refund that was to replace it.'
    : 'It failed, and was refunded again.';
}

type OutcomeProps = { refund: Refund; order: Refunded; isAdmin: boolean };

function Outcome({ refund, order, isAdmin }: OutcomeProps) {
  const money = useMoney();
  const day = useLocalDay(refund.updatedAt);
  const { tone, word, describe } = outcomes[refund.status];
  const { quantity = 0 } = refund;
  const { currency, owed } = order;
  const settlement = describeSettlement(
    refund,
    findReplacement(order, refund),
    owed === undefined ? undefined : money.charged(owed, currency),
  );
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
        {settlement ??
          (isAdmin && refund.status === 'failed'
            ? describeFailedRefund(refund.failure ?? '', day)
            : describe(day))}
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
