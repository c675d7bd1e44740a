import type { ComponentProps } from 'react';
import { ErrorMessage } from '../forms/fields/error-message.tsx';
import { describedBy } from '../forms/fields/field.tsx';

type ControlProps = {
  value: string;
  min: number;
  max: number;
  onChange: (value: string) => void;
};

type Props = Omit<ComponentProps<typeof StepperControl>, 'itemName'> & {
  id: string;
  label: string;
  hint: string;
  error?: string | undefined;
};

const button =
  'noscript:hidden size-12 shrink-0 border border-edge bg-leaf text-xl text-blued cursor-pointer hover:border-blued disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55';

/** A number field between minus and plus buttons, beside its label and hint. */
export function Stepper({ id, label, hint, error, ...rest }: Props) {
  return (
    <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
      <div>
        <label htmlFor={id} className="block text-sm font-medium">
          {label}
        </label>
        <p id={`${id}-hint`} className="figures text-sm text-soft">
          {hint}
        </p>
      </div>
      <StepperControl {...rest} id={id} name="orderQuantity" {...describedBy(id, hint, error)} />
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
  itemName = '',
  buttonNames: [less, more] = ['One less', 'One more'],
  value,
  min,
  max,
  onChange,
  ...rest
}: ControlProps &
  Omit<ComponentProps<'input'>, 'onChange' | 'className'> & {
    itemName?: string;
    /** The accessible names of the buttons. */
    buttonNames?: [less: string, more: string];
  }) {
  const count = /^\d+$/.test(value.trim()) ? Number(value) : Number.NaN;
  // Invalid input is replaced with the minimum.
  const changeBy = (by: number) => onChange(String(Math.min(max, Math.max(min, count + by)) || min));
  const suffix = itemName && `: ${itemName}`;
  return (
    <div className="flex w-fit max-w-full">
      <button
        type="button"
        aria-label={less + suffix}
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
        className={`figures h-12 min-w-0 border border-edge bg-leaf text-center text-lg aria-invalid:border-2 aria-invalid:border-ruby ${itemName ? 'w-16' : 'w-24'}`}
      />
      <button
        type="button"
        aria-label={more + suffix}
        aria-disabled={count >= max}
        onClick={() => changeBy(1)}
        className={`${button} rounded-r-control border-l-0`}
      >
        +
      </button>
    </div>
  );
}
