import type { ReactNode } from 'react';
import { useMoney } from '../../../../shop.tsx';

type Props = {
  goods: number;
  currency: string;
  /** The chosen rate; undefined as long as none is chosen. */
  delivery: { label: string; amount: number } | undefined;
  total: number;
  /** Without scripts, a summary cannot follow the choice of another rate. */
  followsChoice?: boolean;
};

/** The amounts that are paid: the goods, the delivery and the total. */
export function ChargeLines({ goods, currency, delivery, total, followsChoice = false }: Props) {
  const money = useMoney();
  return (
    <dl className="figures border-t border-rule pt-3">
      <Line term="Goods">{money.charged(goods, currency)}</Line>
      <Line
        term={
          delivery && followsChoice ? (
            <>
              Delivery<span className="noscript:hidden">{`, ${delivery.label}`}</span>
            </>
          ) : (
            `Delivery${delivery ? `, ${delivery.label}` : ''}`
          )
        }
      >
        <Followed followsChoice={followsChoice}>
          {delivery
            ? describeAmount(delivery.amount, money.charged(delivery.amount, currency))
            : 'not chosen'}
        </Followed>
      </Line>
      <Line term="Total" isTotal>
        <Followed followsChoice={followsChoice}>{money.charged(total, currency)}</Followed>
      </Line>
    </dl>
  );
}

export const describeAmount = (amount: number, text: string): string => (amount === 0 ? 'free' : text);

function Followed({ followsChoice, children }: { followsChoice: boolean; children: ReactNode }) {
  if (!followsChoice) return children;
  return (
    <>
      <span className="noscript:hidden">{children}</span>
      <span className="font-sans text-base not-noscript:hidden">as you choose</span>
    </>
  );
}

function Line({
  term,
  isTotal = false,
  children,
}: {
  term: ReactNode;
  isTotal?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      className={`flex items-baseline justify-between gap-x-4 ${isTotal ? 'mt-2 border-t border-rule pt-2' : ''}`}
    >
      <dt className="min-w-0 wrap-anywhere">{term}</dt>
      <dd className={`shrink-0 ${isTotal ? 'font-serif text-xl' : ''}`}>{children}</dd>
    </div>
  );
}
