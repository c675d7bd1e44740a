import { useState } from 'react';
import { useActionData } from 'react-router';
import type { RejectedForm } from './form-results.ts';

/** The rejected values and errors, if this page is the response to a plain post of this form. */
export function useRejectedForm(form: string): RejectedForm | undefined {
  const actionData = useActionData<RejectedForm>();
  const [rejected] = useState(actionData);
  return rejected?.form === form ? rejected : undefined;
}
