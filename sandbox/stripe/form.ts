import { missing, refuse } from './errors.ts';

/** A parsed form: `metadata[order]=7` is `{ metadata: { order: '7' } }`, a list has the keys 0, 1, … */
export type Form = { [name: string]: string | Form };

export function parseForm(encoded: string): Form {
  const form: Form = Object.create(null);
  for (const [name, value] of new URLSearchParams(encoded)) {
    const path = name.replaceAll(']', '').split('[');
    const last = path.pop() ?? '';
    let node = form;
    for (const step of path) {
      const inner = node[step];
      // No prototype: a parameter called __proto__ is a name like any other.
      const next: Form = typeof inner === 'object' ? inner : Object.create(null);
      node[step] = next;
      node = next;
    }
    node[last === '' ? String(Object.keys(node).length) : last] = value;
  }
  return form;
}

export function refuseUnknown(form: Form, known: readonly string[]): void {
  const param = Object.keys(form).find((name) => !known.includes(name));
  if (param === undefined) return;
  throw refuse(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
}

export function findText(form: Form, param: string): string | undefined {
  const value = form[param];
  if (typeof value === 'object') throw refuse(`Invalid string: ${JSON.stringify(value)}`, { param });
  return value === '' ? undefined : value;
}

export function getText(form: Form, param: string): string {
  const value = findText(form, param);
  if (value === undefined) throw missing(param);
  return value;
}

export function findInteger(form: Form, param: string): number | undefined {
  const value = findText(form, param);
  if (value === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(value)) {
    throw refuse(`Invalid integer: ${value}`, { code: 'parameter_invalid_integer', param });
  }
  return Number(value);
}

export function findFlag(form: Form, param: string): boolean {
  const value = findText(form, param) ?? 'false';
  if (value !== 'true' && value !== 'false') throw refuse(`Invalid boolean: ${value}`, { param });
  return value === 'true';
}

export function findForm(form: Form, param: string): Form {
  const value = form[param];
  if (typeof value === 'string' && value !== '') throw refuse('Invalid object', { param });
  return typeof value === 'object' ? value : {};
}

export function listTexts(form: Form, param: string): string[] {
  const list = findForm(form, param);
  return Object.keys(list).map((key) => getText(list, key));
}

/** At most 50 entries, names of 40 characters, values of 500. https://docs.stripe.com/api/metadata */
export function readMetadata(form: Form): Record<string, string> {
  const given = findForm(form, 'metadata');
  const metadata: Record<string, string> = {};
  for (const name of Object.keys(given)) {
    const value = findText(given, name);
    if (value === undefined) continue;
    if (name.length > 40 || value.length > 500) {
      throw refuse('Metadata names have up to 40 characters, values up to 500.', { param: 'metadata' });
    }
    metadata[name] = value;
  }
  if (Object.keys(metadata).length > 50) {
    throw refuse('Metadata has up to 50 entries.', { param: 'metadata' });
  }
  return metadata;
}
