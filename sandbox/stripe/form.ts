import { invalidRequest, missingParam } from './errors.ts';

/** A parsed form: `metadata[order]=7` becomes `{ metadata: { order: '7' } }`; a list has the keys 0, 1, … */
export type StripeForm = { [name: string]: string | StripeForm };

/** No call needs more; larger forms would only block the event loop. */
const limits = { maxBytes: 100_000, maxPairs: 1000, maxDepth: 5 };

/** Reads the encoded form. Throws 413 above `maxBytes`. */
export async function readForm(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body = request.body?.getReader();
  for (;;) {
    // A client that hangs up is no failure of ours.
    const chunk = await body?.read().catch(() => undefined);
    if (!chunk?.value) break;
    size += chunk.value.length;
    if (size > limits.maxBytes) throw invalidRequest('The request is too large.', {}, 413);
    chunks.push(chunk.value);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function parseForm(encoded: string): StripeForm {
  const form: StripeForm = Object.create(null);
  const pairs = [...new URLSearchParams(encoded)];
  if (pairs.length > limits.maxPairs) throw invalidRequest('The request has too many parameters.');
  for (const [name, value] of pairs) {
    const path = name.replaceAll(']', '').split('[');
    if (path.length > limits.maxDepth) throw invalidRequest('A parameter is nested too deeply.');
    const last = path.pop() ?? '';
    let node = form;
    for (const step of path) {
      const inner = node[step];
      // Without a prototype, `__proto__` is a parameter name like any other.
      const next: StripeForm = typeof inner === 'object' ? inner : Object.create(null);
      node[step] = next;
      node = next;
    }
    node[last === '' ? String(Object.keys(node).length) : last] = value;
  }
  return form;
}

/** The parameters that a call accepts. `*` stands for any name: an index of a list, or a metadata key. */
export type StripeParams = { [name: string]: true | StripeParams };

export const params = (names: string): StripeParams =>
  Object.fromEntries(names.split(' ').map((name): [string, true] => [name, true]));

export function rejectUnknownParams(form: StripeForm, accepted: StripeParams, parent = ''): void {
  for (const [name, value] of Object.entries(form)) {
    const param = parent ? `${parent}[${name}]` : name;
    const inner = Object.hasOwn(accepted, name) ? accepted[name] : accepted['*'];
    if (!inner)
      throw invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
    if (typeof value === 'object' && inner !== true) rejectUnknownParams(value, inner, param);
  }
}

/** https://docs.stripe.com/error-codes#parameters-exclusive */
export function rejectBoth(form: StripeForm, one: string, other: string): void {
  if (form[one] === undefined || form[other] === undefined) return;
  const message = `You may only specify one of these parameters: ${one}, ${other}.`;
  throw invalidRequest(message, { code: 'parameters_exclusive', param: one });
}

/** Serializes parameters independently of their order and encoding. */
export const canonicalForm = (form: StripeForm): string =>
  JSON.stringify(
    Object.keys(form)
      .toSorted()
      .map((name) => {
        const value = form[name] ?? '';
        return [name, typeof value === 'string' ? value : canonicalForm(value)];
      }),
  );

export function findText(form: StripeForm, param: string): string | undefined {
  const value = form[param];
  if (typeof value === 'object') throw invalidRequest(`Invalid string: ${JSON.stringify(value)}`, { param });
  return value === '' ? undefined : value;
}

export function getText(form: StripeForm, param: string): string {
  const value = findText(form, param);
  if (value === undefined) throw missingParam(param);
  return value;
}

/**
 * Stripe does not publish its rule: "properly formatted and only includes allowed characters"
 * (https://docs.stripe.com/error-codes#email-invalid). `param` is the full name of the parameter.
 */
export function findEmail(form: StripeForm, name: string, param = name): string | undefined {
  const email = findText(form, name);
  if (email === undefined || (email.length <= 512 && /^[!-?A-~]+@[!-?A-~]+\.[!-?A-~]+$/.test(email)))
    return email;
  throw invalidRequest(`Invalid email address: ${email}`, { code: 'email_invalid', param });
}

export function findInteger(form: StripeForm, param: string): number | undefined {
  const value = findText(form, param);
  if (value === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(value)) {
    throw invalidRequest(`Invalid integer: ${value}`, { code: 'parameter_invalid_integer', param });
  }
  return Number(value);
}

export function findBoolean(form: StripeForm, param: string): boolean {
  const value = findText(form, param) ?? 'false';
  if (value !== 'true' && value !== 'false') throw invalidRequest(`Invalid boolean: ${value}`, { param });
  return value === 'true';
}

export function findForm(form: StripeForm, param: string): StripeForm {
  const value = form[param];
  if (typeof value === 'string' && value !== '') throw invalidRequest('Invalid object', { param });
  return typeof value === 'object' ? value : {};
}

export function listTexts(form: StripeForm, param: string): string[] {
  const list = findForm(form, param);
  return Object.keys(list).map((key) => getText(list, key));
}

/** At most 50 entries with names up to 40 and values up to 500 characters. https://docs.stripe.com/api/metadata */
export function readMetadata(form: StripeForm): Record<string, string> {
  const entries = findForm(form, 'metadata');
  const metadata: Record<string, string> = {};
  for (const name of Object.keys(entries)) {
    const value = findText(entries, name);
    if (value === undefined) continue;
    if (name.length > 40 || value.length > 500) {
      throw invalidRequest('Metadata names have up to 40 characters, values up to 500.', {
        param: 'metadata',
      });
    }
    metadata[name] = value;
  }
  if (Object.keys(metadata).length > 50) {
    throw invalidRequest('Metadata has up to 50 entries.', { param: 'metadata' });
  }
  return metadata;
}
