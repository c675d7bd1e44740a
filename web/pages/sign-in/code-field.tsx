import type { ComponentProps } from 'react';
import { Field } from '../../forms/fields/field.tsx';

/** The input for a code from an authenticator app. */
export const CodeField = (props: Omit<ComponentProps<typeof Field>, 'label'>) => (
  <Field
    label="6-digit code"
    inputMode="numeric"
    autoComplete="one-time-code"
    autoCapitalize="none"
    spellCheck={false}
    maxLength={12}
    enterKeyHint="go"
    {...props}
  />
);
