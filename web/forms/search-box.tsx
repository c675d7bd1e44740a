import type { ComponentProps, ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { Field } from './fields/field.tsx';

/** The search box of a search form, with its button. `suggestions` are shown below the input. */
export function SearchBox({
  suggestions,
  ...props
}: ComponentProps<typeof Field> & { suggestions?: ReactNode }) {
  return (
    <div className="relative flex max-w-text flex-wrap items-end gap-x-3">
      <div className="min-w-0 grow basis-40">
        <Field
          name="q"
          type="search"
          maxLength={100}
          enterKeyHint="search"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...props}
        />
      </div>
      {/* As high as the input. */}
      <Button type="submit" kind="plain" className="mb-6 py-2.5 text-base">
        Search
      </Button>
      {/* Directly below the input. */}
      <div className="absolute inset-x-0 bottom-6">{suggestions}</div>
    </div>
  );
}
