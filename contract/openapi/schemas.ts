import { z } from 'zod';
import { user } from '../accounts/users.ts';
import { uploaded } from '../catalogue/images.ts';
import { newProduct, product } from '../catalogue/products.ts';
import { newReview, review } from '../catalogue/reviews.ts';
import { contract } from '../contract.ts';
import { identityErrorBody } from '../identity/identity.ts';
import { newOrder, order } from '../orders/orders.ts';
import { problem } from '../problem.ts';
import type { JsonSchema, Parameter } from './types.ts';

type Direction = 'input' | 'output';

/** Schemas that the document defines by name; all others are inlined. */
const named = new Map<z.core.$ZodType, { name: string; io: Direction }>(
  Object.entries({
    Product: product,
    Review: review,
    Order: order,
    User: user,
    AuditEntry: contract.listAudit.response.element,
    UnknownPayment: contract.listUnknownPayments.response.element,
    Uploaded: uploaded,
    Problem: problem,
    IdentityError: identityErrorBody,
  }).map(([name, schema]) => [schema, { name, io: 'output' }] as const),
);
for (const [name, schema] of Object.entries({
  NewProduct: newProduct,
  NewReview: newReview,
  NewOrder: newOrder,
}))
  named.set(schema, { name, io: 'input' });

/** Converts the schemas that the document defines by name. */
export function convertNamedSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries([...named].map(([schema, { name, io }]) => [name, convert(schema, io)]));
}

/** Converts a schema of the contract to JSON Schema, as request or response. */
export function schemaOf(schema: z.core.$ZodType, io: Direction): JsonSchema {
  const definition = named.get(schema);
  if (definition) return { $ref: `#/components/schemas/${definition.name}` };
  if (schema instanceof z.ZodArray && named.has(schema.element))
    return { type: 'array', items: schemaOf(schema.element, io) };
  return convert(schema, io);
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.looseObject({ description: z.string().optional() })).default({}),
  required: z.array(z.string()).default([]),
});

/** Converts the fields of a path or query to parameters. */
export function parametersOf(
  place: 'path' | 'query',
  schema: z.ZodObject | undefined,
  examples: Record<string, unknown> = {},
): Parameter[] {
  if (!schema) return [];
  const { properties, required } = objectSchema.parse(convert(schema, 'input'));
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    in: place,
    name,
    ...(description ? { description } : {}),
    ...(place === 'path' || required.includes(name) ? { required: true as const } : {}),
    schema: property,
    ...(name in examples ? { example: toType(property, examples[name]) } : {}),
  }));
}

/** An example of a query parameter is text, as on the wire; the document has the parsed type. */
function toType({ type }: JsonSchema, example: unknown): unknown {
  return type === 'integer' ? Number(example) : example;
}

function convert(schema: z.core.$ZodType, io: Direction): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // Validators that divide as floats would reject 19.99. The description states the rule.
      if (jsonSchema.multipleOf === 0.01) delete jsonSchema.multipleOf;
    },
  });
  return rest;
}
