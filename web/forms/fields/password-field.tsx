import { type ComponentProps, useState } from 'react';
import { Field } from './field.tsx';

/** A password field with a Show button. */
export function PasswordField(props: ComponentProps<typeof Field>) {
  const [shown, setShown] = useState(false);
  return (
    <Field
      {...props}
      type={shown ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      beside={
        <button
          type="button"
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
          className="noscript:hidden min-h-11 shrink-0 cursor-pointer px-4 text-sm font-medium text-blued hover:underline"
        >
          Show<span className="sr-only"> password</span>
        </button>
      }
    />
  );
}
