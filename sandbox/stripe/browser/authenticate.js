/** The bank's page of 3D Secure: complete or fail, then the result goes to the shop's page. */
import { ask, intentPath, openLine, toIntentResult } from './wire.js';

/** @param {string} id */
const element = (id) => /** @type {HTMLButtonElement} */ (document.getElementById(id));
const complete = element('complete');
const fail = element('fail');
/** @type {{ key: string, clientSecret: string } | undefined} */
let asked;
let busy = false;

/** @param {'complete' | 'fail'} outcome */
async function finish(outcome) {
  if (!asked || busy) return;
  const { key, clientSecret } = asked;
  setBusy(true);
  const answer = await ask('POST', `${intentPath(clientSecret)}/authenticate`, {
    key,
    client_secret: clientSecret,
    outcome,
  });
  if (answer.error?.type === 'api_connection_error') {
    setBusy(false);
    element('problem').textContent = answer.error.message;
    return;
  }
  const failed = answer.last_payment_error && { ...answer.last_payment_error, payment_intent: answer };
  post({ kind: 'finished', result: failed ? { error: failed } : toIntentResult(answer) });
}

/** @param {boolean} now */
function setBusy(now) {
  busy = now;
  complete.disabled = fail.disabled = now;
}

const post = openLine(async (message) => {
  if (message.kind === 'fail') await finish('fail');
  if (message.kind !== 'start') return;
  asked = { key: message.key, clientSecret: message.clientSecret };
  complete.focus();
  const intent = await ask('GET', intentPath(message.clientSecret), {
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
