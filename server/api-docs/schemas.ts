import { z } from 'zod';
import { contract } from '../../contract/contract.ts';
import { identityError } from '../../contract/identity.ts';
import { uploaded } from '../../contract/images.ts';
import { newOrder, order } from '../../contract/orders.ts';
import { problem } from '../../contract/problem.ts';
import { newProduct, product } from '../../contract/products.ts';
import { newReview, review } from '../../contract/reviews.ts';
import { user } from '../../contract/users.ts';
import type { Parameter, Schema } from './types.ts';

type Way = 'input' | 'output';

/** Schemas that the document names; any other stands where it is used. */
const named = new Map<z.core.$ZodType, { name: string; way: Way }>(
  Object.entries({
    Product: product,
    Review: review,
    Order: order,
    User: user,
    AuditEntry: contract.listAudit.answer.element,
    UnknownPayment: contract.listUnknownPayments.answer.element,
    Uploaded: uploaded,
    Problem: problem,
    IdentityError: identityError,
  }).map(([name, schema]) => [schema, { name, way: 'output' }] as const),
);
for (const [name, schema] of Object.entries({
  NewProduct: newProduct,
  NewReview: newReview,
  NewOrder: newOrder,
}))
  named.set(schema, { name, way: 'input' });

/** Those of them, by their names. */
export function namedSchemas(): Record<string, Schema> {
  return Object.fromEntries([...named].map(([schema, { name, way }]) => [name, convert(schema, way)]));
}

/** A schema of the contract as JSON Schema: as it is sent, or as it is answered. */
export function schemaOf(schema: z.core.$ZodType, way: Way): Schema {
  const known = named.get(schema);
  if (known) return { $ref: `#/components/schemas/${known.name}` };
  if (schema instanceof z.ZodArray && named.has(schema.element))
    return { type: 'array', items: schemaOf(schema.element, way) };
  return convert(schema, way);
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.looseObject({ description: z.string().optional() })).default({}),
  required: z.array(z.string()).default([]),
});

/** The fields of a path or a query as parameters, with an example where there is one. */
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
    ...(name in examples ? { example: fitting(property, examples[name]) } : {}),
  }));
}

/** A query is text on the wire; the document speaks of what it stands for. */
function fitting({ type }: Schema, example: unknown): unknown {
  return type === 'integer' ? Number(example) : example;
}

function convert(schema: z.core.$ZodType, io: Way): Schema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override({ jsonSchema: made }) {
      // Many validators divide as floats do, and would refuse 19.99; its description says it.
      if (made.multipleOf === 0.01) delete made.multipleOf;
    },
  });
  return rest;
}
