import type { ComponentProps } from 'react';
import { ErrorMessage } from '../forms/fields/error-message.tsx';
import { describedBy } from '../forms/fields/field.tsx';

type ControlProps = {
  value: string;
  min: number;
  max: number;
  onChange: (value: string) => void;
};

type Props = ComponentProps<typeof StepperControl> & {
  id: string;
  hint: string;
  error?: string | undefined;
};

const button =
  'noscript:hidden size-12 shrink-0 border border-edge bg-leaf text-xl text-blued cursor-pointer hover:border-blued disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55';

/** The name of a quantity's field: "Quantity of Mainspring winder". */
export const QuantityLabel = ({
  id,
  itemName,
  ...rest
}: {
  id: string;
  itemName: string;
  className: string;
}) => (
  <label htmlFor={id} {...rest}>
    Quantity<span className="sr-only">{` of ${itemName}`}</span>
  </label>
);

/** A number field between minus and plus buttons, beside its label and hint. */
export function Stepper({ id, hint, error, ...rest }: Props) {
  return (
    <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
      <div>
        <QuantityLabel id={id} itemName={rest.itemName} className="block text-sm font-medium" />
        <p id={`${id}-hint`} className="figures text-sm text-soft">
          {hint}
        </p>
      </div>
      <StepperControl isWide {...rest} id={id} name="orderQuantity" {...describedBy(id, hint, error)} />
      {error && (
        <div className="w-full">
          <ErrorMessage id={`${id}-error`}>{error}</ErrorMessage>
        </div>
      )}
    </div>
  );
}

/**
 * A number field between minus and plus buttons. The buttons stay within the range; typed input may not. At its ends, a button
 * keeps the focus, so it is not `disabled`.
 */
export function StepperControl({
  itemName,
  isWide = false,
  value,
  min,
  max,
  onChange,
  ...rest
}: ControlProps &
  Omit<ComponentProps<'input'>, 'onChange' | 'className'> & {
    /** The product's name, for the accessible names of the buttons. */
    itemName: string;
    isWide?: boolean;
  }) {
  const count = /^\d+$/.test(value.trim()) ? Number(value) : Number.NaN;
  // Invalid input is replaced with the minimum.
  const changeBy = (by: number) => onChange(String(Math.min(max, Math.max(min, count + by)) || min));
  return (
    <div className="flex w-fit max-w-full">
      <button
        type="button"
        aria-label={`One less: ${itemName}`}
        aria-disabled={count <= min}
        onClick={() => changeBy(-1)}
        className={`${button} rounded-l-control border-r-0`}
      >
        −
      </button>
      <input
        {...rest}
        value={value}
        inputMode="numeric"
        autoComplete="off"
        onChange={(event) => onChange(event.currentTarget.value)}
        className={`figures h-12 min-w-0 border border-edge bg-leaf text-center text-lg aria-invalid:border-2 aria-invalid:border-ruby ${isWide ? 'w-24' : 'w-16'}`}
      />
      <button
        type="button"
        aria-label={`One more: ${itemName}`}
        aria-disabled={count >= max}
        onClick={() => changeBy(1)}
        className={`${button} rounded-r-control border-l-0`}
      >
        +
      </button>
    </div>
  );
}
