/** The key of a form, made when its page is loaded and posted with it. */
export const createFormKey = (): string =>
  // `crypto.randomUUID` is there over https and on localhost only.
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/**
 * The `Idempotency-Key` of a filled form. Sending the same again carries the same key, by script or without, so that a lost
 * answer or a second press never makes a second order. A changed form is another one.
 */
export const keyOf = (formKey: string, body: unknown): string => `${formKey}-${hash(JSON.stringify(body))}`;

/** 64-bit FNV-1a. It distinguishes what one form was filled with, and protects nothing: the server compares the bodies. */
function hash(text: string): string {
  let sum = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at++)
    sum = BigInt.asUintN(64, (sum ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  return sum.toString(36);
}
