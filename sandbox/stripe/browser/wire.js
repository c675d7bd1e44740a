/** How the frames communicate with the API and with the shop's page. */

const unreachable = {
  type: 'api_connection_error',
  message: 'We are experiencing issues connecting to our payments provider. Please try again.',
};

/**
 * Calls the API with a nested form. Returns its JSON, which may be an `{ error }`.
 * @param {string} method
 * @param {string} path
 * @param {object} fields
 */
export async function callApi(method, path, fields) {
  const form = new URLSearchParams(flatten(fields));
  const url = new URL(`../v1/${path}`, location.href);
  url.hash = '';
  if (method === 'GET') url.search = String(form);
  try {
    const response = await fetch(url, method === 'GET' ? {} : { method, body: form });
    return await response.json();
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
 * The result that Stripe.js returns. Confirming an intent that is already paid counts as success.
 * @param {any} response
 */
export function toIntentResult(response) {
  if (!response.error) return { paymentIntent: response };
  const intent = response.error.payment_intent;
  return intent?.status === 'succeeded' ? { paymentIntent: intent } : { error: response.error };
}

/** @param {string} clientSecret */
export const intentPath = (clientSecret) => `payment_intents/${clientSecret.split('_secret_')[0]}`;

/**
 * Opens the message channel to the embedding page, whose origin is in our URL's hash. Messages are sent to and accepted
 * from that window and origin only.
 * @param {(message: any) => void} onMessage
 */
export function connectToPage(onMessage) {
  const pageOrigin = decodeURIComponent(location.hash.slice(1));
  /** @param {object} message */
  const post = (message) => parent.postMessage(message, pageOrigin);
  addEventListener('message', (event) => {
    if (event.source === parent && event.origin === pageOrigin) onMessage(event.data);
  });
  return post;
}
