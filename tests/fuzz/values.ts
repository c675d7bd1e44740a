import fc, { type Arbitrary } from 'fast-check';
import { z } from 'zod';
import { brokenBody, hostileText, unexpectedJson } from './hostile.ts';

const schemaShape = z.object({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  not: z.unknown().optional(),
  pattern: z.string().optional(),
  minLength: z.number().default(0),
  maxLength: z.number().default(300),
  minimum: z.number().default(-1_000_000),
  maximum: z.number().default(1_000_000),
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

/** Meaningful values by field name, as JSON text: `{ orderId: ['"{{product}}"'] }`. */
export type ExampleValues = Record<string, string[]>;

/** An object's fields with JSON values. A list, so that a field may occur twice. */
type Fields = [name: string, json: string][];
const writeObject = (fields: Fields) =>
  `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

/** JSON text that matches a schema of the document. */
export function generateValid(schema: unknown, known: ExampleValues = {}, name = ''): Arbitrary<string> {
  const generated = generateBySchema(schema, known);
  const examples = known[name];
  if (!examples) return generated;
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...examples) },
    { weight: 1, arbitrary: generated },
  );
}

function generateBySchema(schema: unknown, known: ExampleValues): Arbitrary<string> {
  const { type, anyOf, pattern, ...shape } = schemaShape.parse(schema);
  if (shape.const !== undefined) return fc.constant(JSON.stringify(shape.const));
  if (shape.enum) return fc.constantFrom(...shape.enum.map((one) => JSON.stringify(one)));
  if (anyOf) return fc.oneof(...anyOf.map((one) => generateValid(one, known)));
  const { minimum: min, maximum: max, minLength, maxLength } = shape;
  switch (type) {
    case 'integer':
      return fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31) }).map(String);
    case 'number':
      return fc
        .integer({ min: Math.ceil(min * 100), max: Math.floor(max * 100) })
        .map((cents) => `${cents / 100}`);
    case 'boolean':
      return fc.boolean().map(String);
    case 'string':
      return generateText(pattern, minLength, maxLength).map((value) => JSON.stringify(value));
    case 'object':
      return generateFields(schema, known).map(writeObject);
    default:
      return fc.json({ maxDepth: 2 });
  }
}

function generateText(pattern: string | undefined, minLength: number, maxLength: number): Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'));
  return fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 30) }) },
    { weight: 1, arbitrary: fc.constant('é'.repeat(maxLength)) },
    { weight: 1, arbitrary: hostileText },
  );
}

function generateFields(schema: unknown, known: ExampleValues): Arbitrary<Fields> {
  const { properties, required } = schemaShape.parse(schema);
  const each = Object.entries(properties)
    .filter(([, property]) => schemaShape.parse(property).not === undefined)
    .map(([name, property]) => {
      const field = generateValid(property, known, name).map((json): Fields => [[name, json]]);
      return required.includes(name) ? field : fc.oneof(field, fc.constant<Fields>([]));
    });
  return fc.tuple(...each).map((fields) => fields.flat());
}

const unexpectedNames = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'role',
    'paid',
    '_id',
    'transactionId',
    'email',
    'toString',
    '',
  ),
  hostileText,
);

/** A body for a call: valid, with one error, or malformed. */
export function generateBody(schema: unknown, known: ExampleValues): Arbitrary<string> {
  const { anyOf } = schemaShape.parse(schema);
  const fields = fc.oneof(...(anyOf ?? [schema]).map((one) => generateFields(one, known)));
  const invalid = fc
    .tuple(
      fields,
      fc.nat(),
      fc.constantFrom('replace', 'drop', 'duplicate', 'add', 'rename'),
      unexpectedJson,
      unexpectedNames,
    )
    .map(([valid, at, how, json, name]) =>
      writeObject(breakFields(valid, valid.length ? at % valid.length : 0, how, json, name)),
    );
  return fc.oneof(
    { weight: 5, arbitrary: fields.map(writeObject) },
    { weight: 4, arbitrary: invalid },
    { weight: 1, arbitrary: brokenBody },
  );
}

function breakFields(valid: Fields, at: number, how: string, json: string, name: string): Fields {
  const [oldName = '', oldValue = json] = valid[at] ?? [];
  const rest = valid.filter((_, index) => index !== at);
  if (how === 'replace') return [...rest, [oldName, json]];
  if (how === 'drop') return rest;
  if (how === 'duplicate') return [...valid, [oldName, json]];
  if (how === 'add') return [...valid, [name, json]];
  return [...rest, [oldName.toUpperCase(), oldValue]];
}
