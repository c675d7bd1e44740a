/** The bank's 3D Secure page: completes or fails the authentication and sends the result to the shop's page. */
import { callApi, connectToPage, intentPath, toIntentResult } from './wire.js';

/** @param {string} id */
const element = (id) => /** @type {HTMLButtonElement} */ (document.getElementById(id));
const complete = element('complete');
const fail = element('fail');
/** @type {{ key: string, clientSecret: string } | undefined} */
let session;
let busy = false;

/** @param {'complete' | 'fail'} outcome */
async function finish(outcome) {
  if (!session || busy) return;
  const { key, clientSecret } = session;
  setBusy(true);
  const intent = await callApi('POST', `${intentPath(clientSecret)}/authenticate`, {
    key,
    client_secret: clientSecret,
    outcome,
  });
  if (intent.error?.type === 'api_connection_error') {
    setBusy(false);
    element('problem').textContent = intent.error.message;
    return;
  }
  const error = intent.last_payment_error && { ...intent.last_payment_error, payment_intent: intent };
  post({ kind: 'finished', result: error ? { error } : toIntentResult(intent) });
}

/** @param {boolean} isBusy */
function setBusy(isBusy) {
  busy = isBusy;
  complete.disabled = fail.disabled = isBusy;
}

const post = connectToPage(async (message) => {
  if (message.kind === 'fail') await finish('fail');
  if (message.kind !== 'start') return;
  session = { key: message.key, clientSecret: message.clientSecret };
  complete.focus();
  const intent = await callApi('GET', intentPath(message.clientSecret), {
    key: message.key,
    client_secret: message.clientSecret,
  });
  if (intent.error) return;
  element('amount').textContent = intent.next_action?.use_stripe_sdk?.amount ?? '';
});

complete.addEventListener('click', () => finish('complete'));
fail.addEventListener('click', () => finish('fail'));
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') finish('fail');
});
post({ kind: 'hello' });
