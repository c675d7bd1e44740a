/** How the frames speak: with the API behind them, and with the shop's page around them. */

const unreachable = {
  type: 'api_connection_error',
  message: 'We are experiencing issues connecting to our payments provider. Please try again.',
};

/**
 * Calls the API with a form, nested as Stripe's is; answers its JSON, an `{ error }` included.
 * @param {string} method
 * @param {string} path
 * @param {object} fields
 */
export async function ask(method, path, fields) {
  const form = new URLSearchParams(flatten(fields));
  const url = new URL(`../v1/${path}`, location.href);
  url.hash = '';
  if (method === 'GET') url.search = String(form);
  try {
    const answer = await fetch(url, method === 'GET' ? {} : { method, body: form });
    return await answer.json();
  } catch {
    return { error: unreachable };
  }
}

/** @param {object} fields @returns {[string, string][]} */
function flatten(fields, prefix = '') {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = prefix ? `${prefix}[${name}]` : name;
    if (value === undefined || value === null) return [];
    return typeof value === 'object' ? flatten(value, path) : [[path, String(value)]];
  });
}

/**
 * An intent as Stripe.js gives it. Confirming one that is paid already is no error for who wants it paid.
 * @param {any} answer
 */
export function toIntentResult(answer) {
  if (!answer.error) return { paymentIntent: answer };
  const intent = answer.error.payment_intent;
  return intent?.status === 'succeeded' ? { paymentIntent: intent } : { error: answer.error };
}

/** @param {string} clientSecret */
export const intentPath = (clientSecret) => `payment_intents/${clientSecret.split('_secret_')[0]}`;

/**
 * Opens the line to the page around this frame, whose origin stands after the # of our address: messages go
 * to that origin only, and are taken from that window and that origin only.
 * @param {(message: any) => void} take
 */
export function openLine(take) {
  const host = decodeURIComponent(location.hash.slice(1));
  /** @param {object} message */
  const post = (message) => parent.postMessage(message, host);
  addEventListener('message', (event) => {
    if (event.source === parent && event.origin === host) take(event.data);
  });
  return post;
}
