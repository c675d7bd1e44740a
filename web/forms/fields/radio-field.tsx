import type { ComponentProps, ReactNode } from 'react';
import { ErrorMessage } from './error-message.tsx';

type Props = {
  legend: string;
  field: ComponentProps<'input'> & { name: string };
  options: readonly { value: string; label: ReactNode }[];
  /** The option that is chosen at first. */
  chosen: string | undefined;
  error: string | undefined;
};

/** A choice of one of several options. */
export function RadioField({ legend, field, options, chosen, error }: Props) {
  const errorId = `${field.name}-error`;
  return (
    <fieldset className="mb-6" aria-describedby={error ? errorId : undefined}>
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      {options.map(({ value, label }, index) => (
        <label key={value} className="flex min-h-11 items-center gap-3 wrap-anywhere">
          <input
            type="radio"
            {...field}
            // The error summary links to the first option.
            id={error && index === 0 ? field.name : undefined}
            value={value}
            defaultChecked={chosen === value}
            aria-invalid={error ? true : undefined}
            className="size-6 shrink-0"
          />
          {label}
        </label>
      ))}
      {error && <ErrorMessage id={errorId}>{error}</ErrorMessage>}
    </fieldset>
  );
}
