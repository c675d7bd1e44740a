import type { FormEvent } from 'react';

/** The fields of a submitted form, with the value of the button that was pressed. */
export function readSubmitted({ nativeEvent, currentTarget }: FormEvent<HTMLFormElement>): FormData {
  const submitter = nativeEvent instanceof SubmitEvent ? nativeEvent.submitter : null;
  return new FormData(currentTarget, submitter);
}
