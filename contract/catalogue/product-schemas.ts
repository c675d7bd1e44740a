import { z } from 'zod';
import { isCountry } from '../delivery/countries.ts';
import { amount, optionalText, parseAmount, parsePieces, quantity, text } from '../fields.ts';
import { cleanText } from '../text.ts';
import { maxFactLabel, maxFacts, maxFactValue, splitFact } from './facts.ts';
import {
  type FieldKind,
  type FieldsWith,
  mapFields,
  type NumberField,
  type ProductField,
  productFieldNames,
  productFields,
} from './product-fields.ts';

const parsers: Record<FieldKind, (input: unknown) => unknown> = {
  line: (input) => input,
  text: (input) => input,
  facts: (input) => input,
  country: (input) => input,
  countries: (input) => input,
  money: parseAmount,
  count: parsePieces,
};

/** Parses the text of a form field or of a file's cell. An empty number becomes undefined. */
export const parseField = (name: ProductField, input: unknown): unknown =>
  parsers[productFields[name].kind](input);

// TypeScript cannot relate a field's kind to the type of its schema, so `as` states it once for each of the three forms of a field.

type Schema<Name extends ProductField> = Name extends NumberField ? z.ZodNumber : z.ZodString;
type OptionalField = FieldsWith<'isOptional', true>;

/** Adds a description to the schema, if any sentence is given. */
function describe<S extends z.ZodType>(schema: S, ...sentences: (string | undefined)[]): S {
  const description = sentences.filter(Boolean).join(' ');
  return description ? schema.describe(description) : schema;
}

const meaningOf = (name: ProductField): string | undefined => {
  const field = productFields[name];
  return 'meaning' in field ? field.meaning : undefined;
};

/** Writes each fact once, as `Label: value` in a line of its own, without empty lines. A line without a colon stays. */
function cleanFacts(text: string): string {
  const lines = cleanText(text)
    .split(/[\r\n]+/)
    .map((line) => line.replace(/\s+/g, ' ').trim());
  const facts = lines.map((line) => {
    const { label, value } = splitFact(line);
    return label && value ? `${label}: ${value}` : line;
  });
  return [...new Set(facts)].filter(Boolean).join('\n');
}

const quote = (text: string) => `“${text.length > maxFactLabel ? `${text.slice(0, maxFactLabel)}…` : text}”`;

/** The problem with a line of facts, if there is one. */
function findFactProblem(line: string): string | undefined {
  const { label, value } = splitFact(line);
  if (!label || !value) return `${quote(line)} must be a label, a colon and a value, such as “Height: 62 mm”`;
  if (label.length > maxFactLabel)
    return `the label ${quote(label)} must be ${maxFactLabel} characters or shorter`;
  if (value.length > maxFactValue)
    return `the value of ${quote(label)} must be ${maxFactValue} characters or shorter`;
  return undefined;
}

const facts = (label: string, max: number): z.ZodString =>
  optionalText(label, max, cleanFacts)
    .unwrap()
    .superRefine((text, context) => {
      const lines = text === '' ? [] : text.split('\n');
      const problems = lines.flatMap((line) => findFactProblem(line) ?? []);
      if (lines.length > maxFacts) problems.unshift(`${maxFacts} lines at most`);
      const [message] = problems;
      if (message) context.addIssue({ code: 'custom', message: `${label}: ${message}` });
    });

const countries = (label: string, max: number): z.ZodString =>
  optionalText(label, max, (text) =>
    cleanText(text)
      .toUpperCase()
      .replace(/[\s,;]+/g, ' '),
  )
    .unwrap()
    .refine(
      (text) => text.split(' ').every((code) => code === '' || isCountry(code)),
      `${label} must be country codes of two letters, such as GB`,
    );

/** The values that an admin may enter. An optional text may be empty. */
function createInput(name: ProductField): z.ZodString | z.ZodNumber {
  const field = productFields[name];
  if (field.kind === 'money') return amount(field.label);
  if (field.kind === 'count') return quantity(field.label);
  if (field.kind === 'facts') return facts(field.label, field.max);
  if (field.kind === 'country' || field.kind === 'countries') return countries(field.label, field.max);
  return field.isOptional ? optionalText(field.label, field.max).unwrap() : text(field.label, field.max);
}

function createOutput(name: ProductField): z.ZodString | z.ZodNumber {
  const { kind } = productFields[name];
  if (kind === 'money') return z.number();
  return kind === 'count' ? z.int() : z.string();
}

const isNumber = (kind: FieldKind) => kind === 'money' || kind === 'count';

type PrivateField = FieldsWith<'visibleTo', 'admin'>;
type OutputFields = {
  [Name in ProductField]: Name extends OptionalField | PrivateField
    ? z.ZodOptional<Schema<Name>>
    : Schema<Name>;
};

/** The fields of a product in a response. */
export const outputFields = mapFields(productFieldNames, (name) => {
  const { isOptional, visibleTo } = productFields[name];
  const isPrivate = visibleTo === 'admin';
  const schema = createOutput(name);
  return describe(
    isOptional || isPrivate ? schema.optional() : schema,
    meaningOf(name),
    isPrivate ? 'Only admins see it.' : '',
  );
}) as OutputFields;

type NewFields = {
  [Name in ProductField]: Name extends OptionalField ? z.ZodOptional<Schema<Name>> : Schema<Name>;
};

/** The fields of a new product. */
export const newFields = mapFields(productFieldNames, (name) => {
  const schema = createInput(name);
  return describe(productFields[name].isOptional ? schema.optional() : schema, meaningOf(name));
}) as NewFields;

type EditedFields = {
  [Name in ProductField]: z.ZodOptional<
    Name extends OptionalField ? z.ZodNullable<Schema<Name>> : Schema<Name>
  >;
};

/** The fields of an edit, all optional. */
export const editedFields = mapFields(productFieldNames, (name) => {
  const { isOptional, kind } = productFields[name];
  const schema = createInput(name);
  if (!isOptional) return describe(schema.optional(), meaningOf(name));
  const removal = isNumber(kind) ? 'Null removes it.' : 'Null or empty text removes it.';
  return describe(schema.nullable().optional(), meaningOf(name), removal);
}) as EditedFields;
