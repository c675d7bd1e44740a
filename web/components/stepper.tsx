import type { ComponentProps } from 'react';
import { describedBy, Labelled } from '../forms/fields/field.tsx';

type ControlProps = {
  value: string;
  min: number;
  max: number;
  onChange: (value: string) => void;
};

type Props = ControlProps & {
  label: string;
  error?: string | undefined;
  hint?: string;
};

const button =
  'noscript:hidden size-12 shrink-0 border border-edge bg-leaf text-xl text-blued cursor-pointer hover:border-blued disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55';

/** A labelled number field between minus and plus buttons. */
export function Stepper({ label, error, hint, ...rest }: Props) {
  const id = 'orderQuantity';
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <StepperControl {...rest} id={id} name={id} {...describedBy(id, hint, error)} />
    </Labelled>
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
