import type { ComponentProps } from 'react';
import { editableControl, Labelled } from './field.tsx';

type Props = ComponentProps<'select'> & {
  id: string;
  label: string;
  /** Labels by value. */
  options: Record<string, string>;
};

/** A labelled choice from a list. */
export function SelectField({ id, label, options, ...rest }: Props) {
  return (
    <Labelled id={id} label={label}>
      <select {...rest} id={id} className={`${editableControl} min-h-12`}>
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}
