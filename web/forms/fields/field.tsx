import { type ComponentProps, type ReactNode, useId } from 'react';
import { ErrorMessage } from './error-message.tsx';

/** Without `read-only:` styles, because browsers also match `select` elements with that selector. */
export const editableControl =
  'block w-full rounded-control border border-edge bg-leaf px-3 py-2.5 text-base text-ink aria-invalid:border-ruby aria-invalid:border-2';
const control = `${editableControl} read-only:bg-paper read-only:text-soft`;

type FieldProps = {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
};

/** Keeps a phone's keyboard from capitalizing and correcting an email address. */
const emailInputProps = { inputMode: 'email', autoCapitalize: 'none', spellCheck: false } as const;

/** A labelled input. Spread `form.field(…)` into it; its name is its id. `beside` is shown inside the input, at its end. */
export function Field({
  label,
  hint,
  error,
  beside,
  ...rest
}: FieldProps & ComponentProps<'input'> & { beside?: ReactNode }) {
  const generatedId = useId();
  const id = rest.id ?? rest.name ?? generatedId;
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <div className="relative">
        <input
          type="text"
          {...(rest.type === 'email' ? emailInputProps : {})}
          {...rest}
          id={id}
          {...describedBy(id, hint, error)}
          className={beside ? `${control} pr-20` : control}
        />
        {beside && <div className="absolute inset-y-0 right-0 flex items-center">{beside}</div>}
      </div>
    </Labelled>
  );
}

/** A multi-line `Field`. */
export function TextArea({ label, hint, error, ...rest }: FieldProps & ComponentProps<'textarea'>) {
  const generatedId = useId();
  const id = rest.id ?? rest.name ?? generatedId;
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <textarea rows={5} {...rest} id={id} {...describedBy(id, hint, error)} className={control} />
    </Labelled>
  );
}

/** A label, hint and error around any control that has `id` and `describedBy(id, hint, error)`. */
export function Labelled({
  id,
  label,
  hint,
  error,
  children,
}: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className="mb-6">
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="mb-1.5 text-sm text-soft">
          {hint}
        </p>
      )}
      {children}
      {error && <ErrorMessage id={`${id}-error`}>{error}</ErrorMessage>}
    </div>
  );
}

/** The ARIA attributes that connect a control with its hint and error. */
export function describedBy(id: string, hint: ReactNode, error: string | undefined) {
  const by = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return {
    ...(by ? { 'aria-describedby': by } : {}),
    ...(error ? { 'aria-invalid': true as const } : {}),
  };
}
