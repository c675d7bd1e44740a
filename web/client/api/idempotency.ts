/** A random key, created when a form's page is loaded and posted with the form. */
export const createFormKey = (): string =>
  // `crypto.randomUUID` exists only over https and on localhost.
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/**
 * The `Idempotency-Key` of a filled-in form. Resending the form, with or without the page's script, sends the same key,
 * so a lost response or a double click never places a second order. Changing the form changes the key. A form without
 * a key does not come from our pages, so equal posts count as separate requests.
 */
export const getIdempotencyKey = (formKey: string, body: unknown): string | undefined =>
  formKey === '' ? undefined : `${formKey}-${hash(JSON.stringify(body))}`;

/** 64-bit FNV-1a. It only distinguishes the contents of one form; nothing relies on it for security. */
function hash(text: string): string {
  let sum = 0xcbf29ce484222325n;
  for (let index = 0; index < text.length; index++)
    sum = BigInt.asUintN(64, (sum ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n);
  return sum.toString(36);
}
