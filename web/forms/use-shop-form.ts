import { useState } from 'react';
import { type FieldErrors, type FieldValues, type Path, type Resolver, useForm } from 'react-hook-form';
import { useActionData } from 'react-router';
import { type Refused, type ShopForm, sortRefusal } from './shop-form.ts';

/** What the server refused, if this page is the response to a plain post of this form. */
export function useRefused(form: string): Refused | undefined {
  const answered = useActionData<Refused>();
  const [refused] = useState(answered);
  return refused?.form === form ? refused : undefined;
}

/**
 * The state of a form in the browser, starting with what the server refused. Spread `field(name)` into a `Field`. What
 * was typed before the script loaded is kept: the fields' values are read from the page.
 */
export function useShopForm<Values extends FieldValues>(
  definition: Pick<ShopForm<Values>, 'fields' | 'read' | 'judge'>,
  refused: Refused | undefined,
) {
  const { fields, read = {}, judge } = definition;
  const resolver: Resolver<Values> = (typed) => {
    const judged = judge(typed);
    return 'values' in judged
      ? { values: judged.values, errors: {} }
      : { values: {}, errors: toFieldErrors(judged.errors) };
  };
  const [errors] = useState(() => refused && toFieldErrors<Values>(refused.errors, refused.root));
  const form = useForm<Values>({ resolver, shouldFocusError: false, ...(errors ? { errors } : {}) });
  const { formState } = form;
  const isOurs = (name: string): name is Path<Values> => fields.includes(name);
  const messageOf = (name: string) =>
    isOurs(name) ? form.getFieldState(name, formState).error?.message : undefined;
  return {
    ...form,
    field(name: Path<Values>, initial = '') {
      const setValueAs = read[name];
      return {
        ...form.register(name, setValueAs ? { setValueAs } : {}),
        defaultValue: refused?.values[name] ?? initial,
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
    showRefusal(error: unknown) {
      const sorted = sortRefusal(error, fields);
      for (const [name, message] of Object.entries(sorted.errors))
        if (isOurs(name)) form.setError(name, { message });
      if (sorted.root) form.setError('root', { message: sorted.root });
    },
  };
}

function toFieldErrors<Values extends FieldValues>(
  errors: Record<string, string>,
  root?: string,
): FieldErrors<Values> {
  const all = Object.entries({ ...errors, ...(root ? { root } : {}) });
  return Object.fromEntries(
    all.map(([name, message]) => [name, { type: 'refused', message }]),
  ) as FieldErrors<Values>;
}
