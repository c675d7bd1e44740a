import { z } from 'zod';
import type { Schema } from './types.ts';

/** A field of what is sent or answered; one within another is named as `data.url`, one of a list as `errors[].field`. */
export type Field = { name: string; type: string; required: boolean; about: string };

const keywords = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.record(z.string(), z.unknown())).optional(),
  not: z.unknown().optional(),
  items: z.record(z.string(), z.unknown()).optional(),
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  required: z.array(z.string()).default([]),
  format: z.string().optional(),
  contentMediaType: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  description: z.string().default(''),
});

/** The name of the schema of the document that this one is, or is a list of. */
export function nameOf(schema: Schema): { name: string; list: boolean } | undefined {
  const { $ref, items } = keywords.parse(schema);
  const name = ($ref ?? keywords.parse(items ?? {}).$ref)?.split('/').at(-1);
  return name === undefined ? undefined : { name, list: $ref === undefined };
}

/** The fields of an object; of a choice between objects those of each. */
export function fieldsOf(schema: Schema): Field[][] {
  const { anyOf, items, properties } = keywords.parse(schema);
  if (anyOf) return anyOf.flatMap(fieldsOf);
  if (items) return fieldsOf(items);
  return properties ? [fieldsIn(schema)] : [];
}

function fieldsIn(schema: Schema, before = ''): Field[] {
  const { properties = {}, required } = keywords.parse(schema);
  return Object.entries(properties).flatMap(([name, property]) => {
    const read = keywords.parse(property);
    // It may not be there at all.
    if (read.not) return [];
    const whole = before + name;
    const field = {
      name: whole,
      type: typeOf(property),
      required: required.includes(name),
      about: read.description,
    };
    const inner = read.items ? fieldsIn(read.items, `${whole}[].`) : fieldsIn(property, `${whole}.`);
    return [field, ...inner];
  });
}

const code = (value: unknown) =>
  `\`${value === '' ? "''" : typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** A type in words: `text, at most 300 characters`. Code stands in backquotes. */
export function typeOf(schema: Schema): string {
  const read = keywords.parse(schema);
  if (read.$ref) return read.$ref.split('/').at(-1) ?? '';
  if (read.const !== undefined) return code(read.const);
  if (read.enum) return read.enum.map(code).join(' or ');
  if (read.anyOf) return [...new Set(read.anyOf.map(typeOf))].join(' or ');
  if (Array.isArray(read.type)) return read.type.map((type) => typeOf({ ...schema, type })).join(' or ');
  switch (read.type) {
    case 'array':
      return `list of ${typeOf(read.items ?? {}).replace(/^object$/, 'objects')}`;
    case 'string': {
      if (read.contentMediaType) return `file, \`${read.contentMediaType}\``;
      if (read.format === 'date-time') return 'time';
      return ['text', sizeOf(read.minLength, read.maxLength)].filter(Boolean).join(', ');
    }
    case 'integer':
      return ['whole number', rangeOf(read.minimum, read.maximum)].filter(Boolean).join(', ');
    case 'number':
      return ['number', rangeOf(read.minimum, read.maximum)].filter(Boolean).join(', ');
    case 'boolean':
      return 'true or false';
    case 'null':
      return '`null`';
    case 'object':
      return 'object';
    default:
      return 'anything';
  }
}

const figures = new Intl.NumberFormat('en');

function sizeOf(from = 0, to?: number): string {
  if (to === undefined) return from > 1 ? `at least ${from} characters` : '';
  return from > 1
    ? `${from} to ${figures.format(to)} characters`
    : `at most ${figures.format(to)} characters`;
}

/** Bounds that every number of JavaScript has say nothing. */
function rangeOf(from = -Infinity, to = Infinity): string {
  if (!Number.isSafeInteger(Math.trunc(to)) || to === Number.MAX_SAFE_INTEGER) return '';
  return `${figures.format(from)} to ${figures.format(to)}`;
}
