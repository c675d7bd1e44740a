/** The card field's frame. Sends the card to the API only; the shop's page receives only states. */
import * as rules from './card-rules.js';
import { applyFonts, applyStyle } from './card-style.js';
import { callApi, connectToPage, intentPath, toIntentResult } from './wire.js';

const form = /** @type {HTMLFormElement} */ (document.querySelector('form'));
const problemText = /** @type {HTMLElement} */ (document.querySelector('#problem'));
/** @param {string} name */
const input = (name) => /** @type {HTMLInputElement} */ (form.querySelector(`[name=${name}]`));
const number = input('cardnumber');
const expiry = input('exp-date');
const cvc = input('cvc');
const postal = input('postal');
/** @type {Map<HTMLInputElement, () => rules.Problem | undefined>} */
const checks = new Map([
  [number, () => rules.findNumberProblem(number.value)],
  [expiry, () => rules.findExpiryProblem(expiry.value)],
  [cvc, () => rules.findCvcProblem(cvc.value, number.value)],
  [postal, () => rules.findPostalProblem(postal.value)],
]);
/** Fields that were blurred or submitted. Only these are reported as incomplete. */
const visited = new Set();
let lastReport = '';

const fields = () => [...checks.keys()].filter((field) => !field.hidden);

function report() {
  const { brand } = rules.findBrand(rules.digitsOf(number.value));
  let error;
  let complete = true;
  for (const field of fields()) {
    const problem = checks.get(field)?.();
    const visible =
      problem && (visited.has(field) || !problem.code.startsWith('incomplete')) ? problem : undefined;
    field.setAttribute('aria-invalid', String(Boolean(visible)));
    complete &&= !problem;
    error ??= visible;
  }
  const empty = fields().every((field) => field.value === '');
  for (const state of ['empty', 'complete'])
    form.classList.toggle(state, state === 'empty' ? empty : complete);
  problemText.textContent = error?.message ?? '';
  const change = { empty, complete, error, brand, value: { postalCode: postal.value }, elementType: 'card' };
  if (JSON.stringify(change) === lastReport) return;
  lastReport = JSON.stringify(change);
  post({ kind: 'change', change });
}

/** Formats the field and keeps the caret after the typed digit. @param {HTMLInputElement} field */
function format(field) {
  const typed = field.value;
  const before = rules.digitsOf(typed.slice(0, field.selectionStart ?? typed.length)).length;
  const atEnd = field.selectionStart === typed.length;
  if (field === number) field.value = rules.formatNumber(typed);
  if (field === expiry) field.value = rules.formatExpiry(typed);
  if (field === cvc)
    field.value = rules.digitsOf(typed).slice(0, rules.findBrand(rules.digitsOf(number.value)).cvc);
  if (field === postal || atEnd || field !== document.activeElement) return;
  let caret = 0;
  for (let seen = 0; caret < field.value.length && seen < before; caret += 1) {
    if (/\d/.test(field.value.charAt(caret))) seen += 1;
  }
  field.setSelectionRange(caret, caret);
}

form.addEventListener('input', (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const atEnd = field.selectionStart === field.value.length;
  format(field);
  // When a field is complete, move on to the next empty one.
  const full = field === postal ? false : !checks.get(field)?.();
  const next = fields()[fields().indexOf(field) + 1];
  if (full && atEnd && field === document.activeElement && next?.value === '') next.focus();
  report();
});

form.addEventListener('keydown', (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (event.key === 'Escape') post({ kind: 'escape' });
  if (event.key === 'Enter') {
    event.preventDefault();
    post({ kind: 'submit' });
  }
  if (event.key === 'Backspace' && field.value === '') fields()[fields().indexOf(field) - 1]?.focus();
});
form.addEventListener('focusin', (event) => {
  if (!event.relatedTarget) post({ kind: 'focus' });
});
form.addEventListener('focusout', (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (field.value) visited.add(field);
  report();
  if (!event.relatedTarget) post({ kind: 'blur' });
});

/** @param {any} options */
function update(options) {
  if (options.hidePostalCode !== undefined) postal.hidden = Boolean(options.hidePostalCode);
  if (options.disabled !== undefined)
    for (const field of checks.keys()) field.disabled = Boolean(options.disabled);
  if (options.value?.postalCode) postal.value = options.value.postalCode;
  if (options.style) applyStyle(options.style);
  if (options.fonts) applyFonts(options.fonts);
}

/**
 * Returns the payment method for the API, or the first problem.
 * @param {any} billing
 * @returns {{ error?: rules.Problem | undefined, method?: object }}
 */
function readCard(billing = {}) {
  for (const field of fields()) visited.add(field);
  report();
  const invalid = fields().find((field) => checks.get(field)?.());
  if (invalid) {
    invalid.focus();
    return { error: checks.get(invalid)?.() };
  }
  const { month, year } = rules.readExpiry(expiry.value);
  const card = { number: rules.digitsOf(number.value), exp_month: month, exp_year: year, cvc: cvc.value };
  const address = { postal_code: postal.value || undefined, ...billing.address };
  return { method: { type: 'card', card, billing_details: { ...billing, address } } };
}

/** The calls that the page can make. @type {Record<string, (params: any) => Promise<object>>} */
const calls = {
  async confirm({ key, clientSecret, billing, more }) {
    const card = readCard(billing);
    if (card.error) return { error: card.error };
    const fields = {
      key,
      client_secret: clientSecret,
      use_stripe_sdk: true,
      payment_method_data: card.method,
      ...more,
    };
    return toIntentResult(await callApi('POST', `${intentPath(clientSecret)}/confirm`, fields));
  },
};

const post = connectToPage(async (message) => {
  if (message.kind === 'options') {
    update(message.options);
    report();
    post({ kind: 'ready' });
  }
  if (message.kind === 'update') {
    update(message.options);
    report();
  }
  if (message.kind === 'focus') (fields().find((field) => checks.get(field)?.()) ?? number).focus();
  if (message.kind === 'blur') /** @type {HTMLElement} */ (document.activeElement)?.blur();
  if (message.kind === 'clear') {
    form.reset();
    visited.clear();
    report();
  }
  if (message.kind === 'call' && Object.hasOwn(calls, message.name)) {
    post({ kind: 'result', id: message.id, result: await calls[message.name]?.(message.params) });
  }
});

new ResizeObserver(() => post({ kind: 'height', height: form.offsetHeight })).observe(form);
post({ kind: 'hello' });
