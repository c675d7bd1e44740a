/** The key of a form, made when its page is loaded and posted with it. */
export const createFormKey = (): string =>
  // `crypto.randomUUID` exists only over https and on localhost.
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/**
 * The `Idempotency-Key` of a filled form. Sending the same form again carries the same key, with the script or without,
 * so a lost response or a second click never places a second order. A changed form gets another key. A form without a
 * key was not made by one of our pages: two of them that are alike are two requests.
 */
export const keyOf = (formKey: string, body: unknown): string | undefined =>
  formKey === '' ? undefined : `${formKey}-${hash(JSON.stringify(body))}`;

/** 64-bit FNV-1a. It only distinguishes the contents of one form; nothing relies on it for security. */
function hash(text: string): string {
  let sum = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at++)
    sum = BigInt.asUintN(64, (sum ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  return sum.toString(36);
}
