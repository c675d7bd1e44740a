import { describedBy, Labelled } from '../forms/field.tsx';

type Props = {
  label: string;
  value: string;
  min: number;
  max: number;
  error?: string | undefined;
  hint?: string;
  onChange: (value: string) => void;
};

const button =
  'noscript:hidden size-12 shrink-0 border border-edge bg-leaf text-xl text-blued cursor-pointer hover:border-blued disabled:cursor-not-allowed disabled:opacity-55';

/** A number field between minus and plus buttons. The buttons stay within the range; typed input may not. */
export function Stepper({ label, value, min, max, error, hint, onChange }: Props) {
  const id = 'orderQuantity';
  const count = /^\d+$/.test(value.trim()) ? Number(value) : Number.NaN;
  // Invalid input is replaced with the minimum.
  const changeBy = (by: number) => onChange(String(Math.min(max, Math.max(min, count + by)) || min));
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <div className="flex w-fit">
        <button
          type="button"
          aria-label="One less"
          disabled={count <= min}
          onClick={() => changeBy(-1)}
          className={`${button} rounded-l-control border-r-0`}
        >
          −
        </button>
        <input
          id={id}
          name={id}
          value={value}
          inputMode="numeric"
          autoComplete="off"
          onChange={(event) => onChange(event.currentTarget.value)}
          {...describedBy(id, hint, error)}
          className="figures h-12 w-24 border border-edge bg-leaf text-center text-lg aria-invalid:border-2 aria-invalid:border-ruby"
        />
        <button
          type="button"
          aria-label="One more"
          disabled={count >= max}
          onClick={() => changeBy(1)}
          className={`${button} rounded-r-control border-l-0`}
        >
          +
        </button>
      </div>
    </Labelled>
  );
}
