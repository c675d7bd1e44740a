import { type FormEvent, type MouseEvent, useEffect, useRef } from 'react';
import type { BasketLine } from '../../../contract/orders/purchases.ts';
import { purchasePages } from '../../../contract/page-addresses.ts';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { QuantityLabel, StepperControl } from '../../components/stepper.tsx';
import { Thumbnail } from '../../components/thumbnail.tsx';
import { ErrorMessage } from '../../forms/fields/error-message.tsx';
import { describedBy } from '../../forms/fields/field.tsx';
import { useMoney } from '../../shop.tsx';
import { calculateTotal, parseQuantity } from '../purchase/order.ts';
import { describeProblem, findSuggestedQuantity } from './changes.ts';
import { lineForm } from './forms.ts';

type Props = {
  line: BasketLine;
  /** The line is being removed. */
  isLeaving: boolean;
  viewerId: string;
  /** The names of countries by code. Absent as long as the shop has no delivery rates. */
  countries: Record<string, string> | undefined;
  /** The quantity as typed, if it is not saved yet. */
  typed: string | undefined;
  /** Why the last change of this line failed. */
  message: string | undefined;
  onEdit: (text: string) => void;
  /** Called on Enter and on blur. */
  onCommit: () => void;
  onSet: (quantity: number) => void;
  onRemove: () => void;
};

/** A line of the basket: a form of its own, which works without scripts. */
export function BasketLineForm({
  line,
  isLeaving,
  viewerId,
  countries,
  typed,
  message,
  onEdit,
  onCommit,
  onSet,
  onRemove,
}: Props) {
  const money = useMoney();
  const { product, quantity } = line;
  const { _id, name, img, price, currency, o_quantity = 1, a_quantity = 1, notTo } = product;
  const text = typed ?? String(quantity);
  const count = parseQuantity({ o_quantity, a_quantity }, text);
  const problem = describeProblem(line);
  const suggested = findSuggestedQuantity(line);
  const isUnavailable = problem !== undefined && suggested === undefined;
  const isOutOfRange = typed !== undefined && count === undefined && !problem;
  const error =
    message ??
    problem ??
    (isOutOfRange ? `Enter a whole number from ${o_quantity} to ${a_quantity}.` : undefined);
  const fieldId = `quantity-${_id}`;
  const errorBox = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The error appears below the field in use, perhaps behind the bar at the bottom of a phone.
    if (error && document.activeElement?.id === fieldId)
      errorBox.current?.querySelector('p')?.scrollIntoView({ block: 'nearest' });
  }, [error, fieldId]);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const pressed = submitter instanceof HTMLButtonElement ? submitter : undefined;
    if (pressed?.name === 'remove') onRemove();
    else if (pressed?.name === 'set') onSet(Number(pressed.value));
    else onCommit();
  }
  const removeProps = {
    ...({ type: 'submit', name: 'remove', value: 'yes' } as const),
    // Ignore the second click of a double click: the next line has moved under the pointer.
    onClick: (event: MouseEvent) => {
      if (event.detail > 1) event.preventDefault();
    },
  };

  return (
    <li
      aria-busy={isLeaving}
      className="border-b border-rule py-5 transition-opacity first:border-t aria-busy:opacity-40"
    >
      <form method="post" noValidate onSubmit={submit} className="flex flex-wrap gap-4 sm:gap-6">
        <input type="hidden" name="form" value={lineForm.name} />
        <input type="hidden" name="viewer" value={viewerId} />
        <input type="hidden" name="product" value={_id} />
        <div className="w-24 shrink-0 sm:w-40">
          <Thumbnail img={img} isDimmed={isUnavailable} />
        </div>
        <div className="min-w-[min(10rem,100%)] grow basis-0">
          <div className="figures mb-3 flex flex-wrap items-baseline gap-x-3 sm:gap-x-6">
            <h2
              id={`line-${_id}`}
              tabIndex={-1}
              className="min-w-0 basis-full text-lg leading-tight wrap-anywhere sm:grow sm:basis-0"
            >
              {price === undefined ? (
                name
              ) : (
                <Link to={`${purchasePages}/${_id}`} className="text-ink hover:underline">
                  {name}
                </Link>
              )}
            </h2>
            {price !== undefined && (
              <p className="text-sm text-soft">{`${money.charged(price, currency)} each`}</p>
            )}
            {price !== undefined && !problem && (
              <p className="ml-auto text-right font-serif sm:min-w-28 sm:text-lg">
                {count === undefined ? '–' : money.charged(calculateTotal(price, count), currency)}
              </p>
            )}
          </div>
          {countries && notTo && (
            <p className="mb-3 text-sm">
              {`Not sent to: ${notTo
                .split(' ')
                .map((code) => countries[code] ?? code)
                .join(', ')}`}
            </p>
          )}
          {/* Announced once the shop has saved a quantity. */}
          <p role="status" className="sr-only">{`${quantity} in your basket`}</p>
          {!isUnavailable && (
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
              <QuantityLabel id={fieldId} itemName={name} className="sr-only" />
              <StepperControl
                id={fieldId}
                name="quantity"
                itemName={name}
                value={text}
                min={o_quantity}
                max={a_quantity}
                onChange={onEdit}
                onBlur={onCommit}
                {...describedBy(fieldId, undefined, error)}
              />
              {/* Enter in the field presses the first submit button. */}
              <Button type="submit" kind="plain" className="not-noscript:hidden">
                Update<span className="sr-only">{` ${name}`}</span>
              </Button>
              <button
                {...removeProps}
                className="ml-auto min-h-11 min-w-11 cursor-pointer text-sm text-ruby underline-offset-4 hover:underline disabled:opacity-55"
              >
                Remove<span className="sr-only">{` ${name}`}</span>
              </button>
            </div>
          )}
          <div ref={errorBox} role="alert" className="flex flex-wrap items-center gap-x-4">
            {error && <ErrorMessage id={`${fieldId}-error`}>{error}</ErrorMessage>}
            {suggested !== undefined && (
              <Button type="submit" name="set" value={suggested} kind="plain" className="mt-1.5">
                {`Set to ${suggested}`}
                <span className="sr-only">{` for ${name}`}</span>
              </Button>
            )}
            {isUnavailable && (
              <Button {...removeProps} kind="danger" className="mt-1.5">
                Remove<span className="sr-only">{` ${name}`}</span>
              </Button>
            )}
          </div>
        </div>
      </form>
    </li>
  );
}
