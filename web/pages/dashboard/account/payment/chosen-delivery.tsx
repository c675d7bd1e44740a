import { formatDays } from '../../../../../contract/moment.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { Link } from '../../../../components/link.tsx';
import { useMoney } from '../../../../shop.tsx';
import { describeAmount } from './charge-lines.tsx';
import type { CheckoutData } from './load-checkout.ts';

type Props = { purchase: Purchase; checkout: CheckoutData };

/** Where and how an unpaid purchase is sent, as it was saved, with a link that changes it. */
export function ChosenDelivery({ purchase, checkout }: Props) {
  const money = useMoney();
  const { charges = [], currency, remark, rate, shipTo } = purchase;
  const [delivery] = charges;
  const offered = checkout.quote.rates.find(({ _id }) => _id === rate);
  return (
    <section aria-labelledby="where" className="border-t-2 border-edge pt-4">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="where" className="text-xl">
          Where and how
        </h2>
        <Link id="change-checkout" to="?edit=checkout" preventScrollReset className="link link-alone text-sm">
          Change<span className="sr-only"> where and how it is sent</span>
        </Link>
      </div>
      <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
        <p className="whitespace-pre-line wrap-anywhere">
          {[...checkout.shipToLines, shipTo?.phone].filter(Boolean).join('\n')}
        </p>
        <div className="min-w-0 wrap-anywhere">
          {delivery && (
            <p className="figures">
              {`${delivery.label}, ${describeAmount(delivery.amount, money.charged(delivery.amount, currency))}`}
            </p>
          )}
          {offered?.pickup && <p className="text-sm whitespace-pre-line text-soft">{offered.pickup}</p>}
          {offered?.from && offered.to && !offered.pickup && (
            <p className="figures text-sm text-soft">{`arrives ${formatDays(offered.from, offered.to)}`}</p>
          )}
        </div>
        {checkout.billToLines.length > 0 && (
          <p className="whitespace-pre-line wrap-anywhere">
            <span className="block text-sm text-soft">Invoice to</span>
            {checkout.billToLines.join('\n')}
          </p>
        )}
        {remark && (
          <p className="whitespace-pre-line wrap-anywhere">
            <span className="block text-sm text-soft">Remark</span>
            {remark}
          </p>
        )}
      </div>
    </section>
  );
}
