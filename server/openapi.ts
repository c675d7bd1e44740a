import { z } from 'zod';
import type { Call, Who } from '../contract/call.ts';
import { contract } from '../contract/contract.ts';
import { apiBase } from '../contract/paths.ts';
import { problem } from '../contract/problem.ts';
import { errorTable } from './errors.ts';

const who: Record<Who, string> = {
  everybody: 'Everybody.',
  person: 'Anybody who is signed in.',
  self: 'The person with that e-mail.',
  'self-or-admin': 'The person with that e-mail, or an admin.',
  owner: 'The owner; for others it does not exist.',
  'owner-or-admin': 'The owner, or an admin; for others it does not exist.',
  admin: 'Admins.',
  provider: 'The payment provider, by its signature.',
};

type Schema = Record<string, unknown>;
const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

/** The contract as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html), made when it is first asked for. */
export function createOpenApi(sessionCookie: string): () => Schema {
  let made: Schema | undefined;
  return () => (made ??= makeDocument(sessionCookie));
}

function makeDocument(sessionCookie: string): Schema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, call] of Object.entries<Call>(contract)) {
    const path = call.path.replace(/:(\w+)/g, '{$1}');
    const operations = paths[path] ?? {};
    paths[path] = operations;
    // The image host is at the root, not under /api.
    if (name === 'uploadImage') operations.servers = [{ url: '/' }];
    operations[call.method.toLowerCase()] = operation(name, call);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Hand-Tools Shop',
      version: '1',
      description: 'The calls of an online store for clock-repair hand tools.',
    },
    servers: [{ url: apiBase }],
    paths,
    components: {
      schemas: { Problem: jsonSchema(problem, 'output') },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The token of PUT /user/{email}.' },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
      },
    },
  };
}

function operation(name: string, call: Call): Schema {
  const answers: Schema = {
    [call.status ?? 200]: {
      description: 'Done.',
      content: { 'application/json': { schema: jsonSchema(call.answer, 'output') } },
      ...(call.query && 'after' in call.query.shape
        ? {
            headers: {
              Link: { description: 'Where the list goes on, with rel="next".', schema: { type: 'string' } },
            },
          }
        : {}),
    },
  };
  const shape =
    name === 'uploadImage'
      ? { 'application/json': { schema: jsonSchema(call.answer, 'output') } }
      : problemContent;
  for (const status of errorsOf(call)) answers[status] = { description: meaning(status), content: shape };
  answers.default = { description: 'Any other error.', content: shape };
  const parameters = [...parametersOf('path', call.params), ...parametersOf('query', call.query)];
  if (call.idempotent) {
    parameters.push({
      in: 'header',
      name: 'Idempotency-Key',
      description: 'The same key from the same person gives the first answer again; with another body: 422.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    });
  }
  return {
    operationId: name,
    summary: call.summary,
    description: `For: ${who[call.who]}`,
    ...(call.who === 'everybody' || call.who === 'provider'
      ? { security: [{}] }
      : { security: [{ bearer: [] }, { session: [] }] }),
    ...(parameters.length ? { parameters } : {}),
    ...requestBody(name, call),
    responses: answers,
  };
}

/** What a call says for itself, and what no call can help: see `Call`. */
function errorsOf(call: Call): number[] {
  const changes = call.method !== 'GET' && call.who !== 'provider';
  return [...call.errors, 503, ...(changes ? [403] : [])];
}

const problemContent = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

function requestBody(name: string, call: Call): Schema {
  if (name === 'uploadImage') {
    const schema = {
      type: 'object',
      required: ['image'],
      properties: { image: { type: 'string', contentMediaType: 'image/*' } },
    };
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
  }
  if (name === 'receiveStripeEvent')
    return {
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    };
  if (!call.body) return {};
  return {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: jsonSchema(call.body, 'input') } },
    },
  };
}

function parametersOf(place: 'path' | 'query', schema: z.ZodObject | undefined): Schema[] {
  if (!schema) return [];
  const { properties, required } = objectSchema.parse(jsonSchema(schema, 'input'));
  return Object.entries(properties).map(([name, property]) => ({
    in: place,
    name,
    ...(place === 'path' || required.includes(name) ? { required: true } : {}),
    schema: property,
  }));
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override({ jsonSchema: made }) {
      if (made.multipleOf !== 0.01) return;
      // Many validators divide as floats do, and would refuse 19.99.
      delete made.multipleOf;
      made.description = 'With at most two decimals.';
    },
  });
  return rest;
}

function meaning(status: number): string {
  const titles = Object.values(errorTable).filter((row) => row.status === status);
  return `${titles.map(({ title }) => title).join('; ')}.`;
}
