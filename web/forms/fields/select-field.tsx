import type { ComponentProps } from 'react';
import { describedBy, editableControl, Labelled } from './field.tsx';

type Props = ComponentProps<'select'> & {
  id: string;
  label: string;
  /** Labels by value. */
  options: Record<string, string>;
  hint?: string;
  error?: string | undefined;
};

/** A labelled choice from a list. */
export function SelectField({ id, label, options, hint, error, ...rest }: Props) {
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <select {...rest} id={id} {...describedBy(id, hint, error)} className={`${editableControl} min-h-12`}>
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}
