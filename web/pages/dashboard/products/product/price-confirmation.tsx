import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { describedBy } from '../../../../forms/fields/field.tsx';
import { useMoney } from '../../../../shop.tsx';

type Props = { before: string; after: string; error: string | undefined };

/** Confirms a large price change. A different price must be confirmed again, so set the price as the component's `key`. */
export function PriceConfirmation({ before, after, error }: Props) {
  const money = useMoney();
  const id = 'confirmedPrice';
  const format = (price: string) => (Number(price) > 0 ? money.charged(Number(price)) : price);
  return (
    <div className="mb-6">
      <label className="flex min-h-11 items-center gap-3">
        <input
          type="checkbox"
          className="size-5 shrink-0"
          id={id}
          name={id}
          value={after}
          {...describedBy(id, undefined, error)}
        />
        {`Change the price from ${format(before)} to ${format(after)}`}
      </label>
      {error && <ErrorMessage id={`${id}-error`}>{error}</ErrorMessage>}
    </div>
  );
}
