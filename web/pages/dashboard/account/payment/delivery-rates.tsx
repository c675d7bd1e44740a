import type { OfferedRate, Quote } from '../../../../../contract/delivery/quotes.ts';
import { formatDays } from '../../../../../contract/moment.ts';
import { myOrdersPage } from '../../../../../contract/page-addresses.ts';
import { Button } from '../../../../components/button.tsx';
import { Link } from '../../../../components/link.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { useMoney, useSettings } from '../../../../shop.tsx';
import { sumAmounts } from '../my-orders/purchases.ts';
import { describeAmount } from './charge-lines.tsx';
import { formatChoice } from './checkout.ts';

type Props = {
  quote: Quote;
  chosen: OfferedRate | undefined;
  /** The name of the country of the address. */
  country: string;
  /** The parcel crosses a customs border. */
  hasCustoms: boolean;
  isLoading: boolean;
  /** Why the rates could not be loaded. */
  loadError: string | undefined;
  error: string | undefined;
  /** Says that the total has changed since the customer pressed the button. */
  notice: string | undefined;
  onChoose: (rate: string) => void;
  onRetry: () => void;
};

/** The id of the message that the rates could not be loaded. */
export const failureId = 'rates-failed';

/** The ways in which a purchase can be sent, or why there is none and what to do next. */
export function DeliveryRates(props: Props) {
  const { quote, chosen, country, hasCustoms, isLoading, loadError, error, notice, onChoose, onRetry } =
    props;
  const money = useMoney();
  const isSent = !quote.problems.includes('not_to');
  const rates = isSent ? quote.rates : [];
  return (
    <fieldset
      aria-labelledby="how"
      aria-describedby={error ? 'rate-error' : undefined}
      aria-busy={isLoading || undefined}
      className={`min-w-0 ${isLoading ? 'opacity-55' : ''}`}
    >
      <div role="alert">
        {loadError && (
          <div id={failureId} tabIndex={-1} className="mb-4 border-l-4 border-ruby bg-leaf px-4 py-3">
            <p className="mb-3 text-ruby">{`The delivery costs could not be loaded. ${loadError}`}</p>
            <Button kind="plain" onClick={onRetry}>
              Try again
            </Button>
          </div>
        )}
        {!loadError && notice && <p className="mb-4 border-l-4 border-brass bg-leaf px-4 py-3">{notice}</p>}
      </div>
      {!loadError && quote.problems.length > 0 && (
        <p
          id={rates.length === 0 ? 'rate' : undefined}
          tabIndex={-1}
          className="mb-4 border-l-4 border-brass bg-leaf px-4 py-3"
        >
          <Problem quote={quote} country={country} />
        </p>
      )}
      {rates.map(({ _id, name, price, from, to, pickup }, index) => (
        <label
          key={_id}
          className="flex min-h-14 cursor-pointer items-start gap-4 border-t border-rule py-3 last-of-type:border-b"
        >
          <input
            type="radio"
            name="rate"
            // The error summary links to the first rate.
            id={index === 0 ? 'rate' : undefined}
            value={formatChoice(sumAmounts([quote.goods, price]), _id)}
            checked={_id === chosen?._id}
            onChange={() => onChoose(_id)}
            aria-invalid={error ? true : undefined}
            className="mt-0.5 size-6 shrink-0"
          />
          <span className="min-w-0 grow wrap-anywhere">
            {name}
            {pickup && <span className="block text-sm whitespace-pre-line text-soft">{pickup}</span>}
            {from && to && !pickup && (
              <span className="figures block text-sm text-soft">{`arrives ${formatDays(from, to)}`}</span>
            )}
          </span>
          <span className="figures shrink-0 text-right">
            {describeAmount(price, money.charged(price, quote.currency))}
            <span className="block text-sm text-soft not-noscript:hidden">
              {`total ${money.charged(sumAmounts([quote.goods, price]), quote.currency)}`}
            </span>
          </span>
        </label>
      ))}
      {error && rates.length > 0 && <ErrorMessage id="rate-error">{error}</ErrorMessage>}
      {hasCustoms && rates.some(({ pickup }) => !pickup) && (
        <p className="mt-3 text-sm text-soft">
          {`Import charges may apply in this country (${country}). The total does not include them: you pay them on delivery.`}
        </p>
      )}
    </fieldset>
  );
}

/** Why the purchase cannot be sent as it is, and what the customer can do. */
function Problem({ quote, country }: { quote: Quote; country: string }) {
  const { problems, notTo = [], minimum, goods, currency } = quote;
  const money = useMoney();
  const { chargedCurrency } = useSettings();
  const myOrders = (
    <Link to={myOrdersPage} className="link">
      My Orders
    </Link>
  );
  if (problems.includes('not_to'))
    return (
      <>
        {`We cannot send ${notTo.join(', ')} to ${country}. Choose another country, or delete ${notTo.length === 1 ? 'this tool' : 'these tools'} from the order in `}
        {myOrders}.
      </>
    );
  if (problems.includes('other_currency'))
    return chargedCurrency === currency ? (
      `Our delivery costs are being changed to ${currency}. Please try again later: your order stays in My Orders.`
    ) : (
      <>
        {`This order is in ${currency}, but we now charge ${chargedCurrency}. Delete it in `}
        {myOrders}
        {', and order again.'}
      </>
    );
  if (problems.includes('too_heavy'))
    return (
      <>
        {`This order is too heavy for the ways in which we send to ${country}. Order fewer pieces, or split the order: delete it in `}
        {myOrders}
        {', and order again. Or choose another country.'}
      </>
    );
  if (problems.includes('address')) return 'Choose the country first: the delivery options depend on it.';
  if (problems.includes('postcode')) return 'Enter the postcode first: the delivery costs depend on it.';
  if (minimum !== undefined)
    return `Orders to ${country} must be at least ${money.charged(minimum, currency)}; this one is ${money.charged(goods, currency)}. Order these tools together with others, or choose another country.`;
  if (problems.includes('no_rate'))
    return 'We do not deliver to this address. Check the country and the postcode, or choose another address.';
  return 'The delivery option that you chose is not available for this address. Check the new option and the total.';
}
