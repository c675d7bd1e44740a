import { useState } from 'react';
import { type FieldErrors, type FieldValues, type Path, type Resolver, useForm } from 'react-hook-form';
import { type RejectedForm, type ShopForm, toFormErrors } from './shop-form.ts';

/**
 * The form's state in the browser, initialized with a rejected post if there is one. Spread `field(name)` into a
 * `Field`.
 */
export function useShopForm<Values extends FieldValues>(
  definition: Pick<ShopForm<Values>, 'fields' | 'parse' | 'validate'>,
  rejected: RejectedForm | undefined,
) {
  const { fields, parse = {}, validate } = definition;
  const resolver: Resolver<Values> = (input) => {
    const result = validate(input);
    return 'values' in result
      ? { values: result.values, errors: {} }
      : { values: {}, errors: toFieldErrors(result.errors) };
  };
  const [errors] = useState(() => rejected && toFieldErrors<Values>(rejected.errors, rejected.root));
  const form = useForm<Values>({ resolver, shouldFocusError: false, ...(errors ? { errors } : {}) });
  const { formState } = form;
  const isField = (name: string): name is Path<Values> => fields.includes(name);
  const messageOf = (name: string) =>
    isField(name) ? form.getFieldState(name, formState).error?.message : undefined;
  return {
    ...form,
    field(name: Path<Values>, initial = '') {
      const setValueAs = parse[name];
      return {
        ...form.register(name, setValueAs ? { setValueAs } : {}),
        defaultValue: rejected?.values[name] ?? initial,
        error: messageOf(name),
      };
    },
    messageOf,
    /** For the `ErrorSummary`; the ids of fields are their names. */
    listErrors: () =>
      fields.flatMap((id) => {
        const message = messageOf(id);
        return message ? [{ id, message }] : [];
      }),
    root: formState.errors.root?.message,
    showError(error: unknown) {
      const formErrors = toFormErrors(error, fields);
      for (const [name, message] of Object.entries(formErrors.errors))
        if (isField(name)) form.setError(name, { message });
      if (formErrors.root) form.setError('root', { message: formErrors.root });
    },
  };
}

function toFieldErrors<Values extends FieldValues>(
  errors: Record<string, string>,
  root?: string,
): FieldErrors<Values> {
  const entries = Object.entries({ ...errors, ...(root ? { root } : {}) });
  return Object.fromEntries(
    entries.map(([name, message]) => [name, { type: 'rejected', message }]),
  ) as FieldErrors<Values>;
}
