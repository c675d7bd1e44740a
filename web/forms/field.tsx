import type { ComponentProps, ReactNode } from 'react';
import { useId } from 'react';
import { Refusal } from './refusal-message.tsx';

const control =
  'block w-full rounded-control border border-edge bg-leaf px-3 py-2.5 text-base text-ink aria-invalid:border-ruby aria-invalid:border-2 read-only:bg-paper read-only:text-soft';

type Shared = {
  label: string;
  hint?: ReactNode;
  /** What is wrong with it; shown under it in red and tied to it. */
  error?: string | undefined;
};

/** An address is no sentence: a phone's keyboard neither corrects it nor begins it with a capital. */
const writtenAsItIs = { inputMode: 'email', autoCapitalize: 'none', spellCheck: false } as const;

/** A labelled input. Spread react-hook-form's `register(…)` into it; its name is its id. `beside` stands at its end. */
export function Field({
  label,
  hint,
  error,
  beside,
  ...rest
}: Shared & ComponentProps<'input'> & { beside?: ReactNode }) {
  const own = useId();
  const id = rest.id ?? rest.name ?? own;
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <div className="relative">
        <input
          type="text"
          {...(rest.type === 'email' ? writtenAsItIs : {})}
          {...rest}
          id={id}
          {...described(id, hint, error)}
          className={beside ? `${control} pr-20` : control}
        />
        {beside && <div className="absolute inset-y-0 right-0 flex items-center">{beside}</div>}
      </div>
    </Labelled>
  );
}

/** As `Field`, for several lines. */
export function TextArea({ label, hint, error, ...rest }: Shared & ComponentProps<'textarea'>) {
  const own = useId();
  const id = rest.id ?? rest.name ?? own;
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <textarea rows={5} {...rest} id={id} {...described(id, hint, error)} className={control} />
    </Labelled>
  );
}

/** Label, hint and error around any control that carries `id` and `described(id, hint, error)`. */
export function Labelled({ id, label, hint, error, children }: Shared & { id: string; children: ReactNode }) {
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
      {error && <Refusal id={`${id}-error`}>{error}</Refusal>}
    </div>
  );
}

/** Ties a control to its hint and error. */
export function described(id: string, hint: ReactNode, error: string | undefined) {
  const by = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return {
    ...(by ? { 'aria-describedby': by } : {}),
    ...(error ? { 'aria-invalid': true as const } : {}),
  };
}
