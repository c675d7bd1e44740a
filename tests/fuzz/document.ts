import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { inlineReferences } from '../support/references.ts';

const content = z.record(z.string(), z.object({ schema: z.unknown().optional() }));
const parameter = z.object({
  in: z.enum(['path', 'query', 'header']),
  name: z.string(),
  schema: z.unknown(),
});
const operation = z.object({
  operationId: z.string(),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content: content.default({}) })),
});
const document = z.object({
  servers: z.tuple([z.object({ url: z.string() })]),
  paths: z.record(
    z.string(),
    z.looseObject({ servers: z.tuple([z.object({ url: z.string() })]).optional() }),
  ),
});

/** An operation of `openapi.json`, with its full path (`/api/orders/{id}`). */
export type Operation = z.output<typeof operation> & { method: string; path: string };

/** Reads the OpenAPI document that the shop serves: its operations, and validators for responses. */
export async function readDocument(origin: string) {
  const response = await fetch(`${origin}/api/openapi.json`);
  const source = inlineReferences(await response.json());
  const { servers, paths } = document.parse(source);
  // Better Auth's endpoints have their own plans (`identity.ts`) and checks (`response-checks.ts`).
  const own = Object.entries(paths).filter(([path]) => !path.startsWith('/auth/'));
  const operations = own.flatMap(([path, { servers: ownServers, ...methods }]) =>
    Object.entries(methods).map(([method, fields]): Operation => {
      const base = (ownServers ?? servers)[0].url.replace(/\/$/, '');
      return { ...operation.parse(fields), method: method.toUpperCase(), path: base + path };
    }),
  );

  // The schema's patterns already describe its formats.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'shop', ...z.record(z.string(), z.unknown()).parse(source) });
  const pointer = (parts: string[]) =>
    `shop#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
  const validate = (parts: string[], value: unknown): string | undefined => {
    const check = ajv.getSchema(pointer(parts));
    if (!check) return `The document has nothing at ${parts.join(' ')}.`;
    return check(value) ? undefined : ajv.errorsText(check.errors);
  };

  return {
    operations,
    /** Finds the operation for a method and path. A path without parameters is preferred. */
    find: (method: string, path: string): Operation | undefined => {
      const found = operations.filter(
        (one) => one.method === method && new RegExp(`^${one.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
      );
      return found.find((one) => one.path === path) ?? found[0];
    },
    /** Returns why a response's body violates its schema, or undefined. */
    validateResponse({ method, path, operationId }: Operation, status: string, type: string, value: unknown) {
      const at = operationId === 'uploadImage' ? path : path.slice(servers[0].url.length);
      return validate(
        ['paths', at, method.toLowerCase(), 'responses', status, 'content', type, 'schema'],
        value,
      );
    },
    validateProblem: (value: unknown) => validate(['components', 'schemas', 'Problem'], value),
  };
}
export type ApiDocument = Awaited<ReturnType<typeof readDocument>>;
