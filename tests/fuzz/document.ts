import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { withoutReferences } from '../support/references.ts';

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

/** A call as `openapi.json` tells it: its whole path (`/api/orders/{id}`), what it takes, what it answers. */
export type Operation = z.output<typeof operation> & { method: string; path: string };

/** The calls of the document that the shop serves, and what judges answers by it. */
export async function readDocument(origin: string) {
  const response = await fetch(`${origin}/api/openapi.json`);
  const whole = withoutReferences(await response.json());
  const { servers, paths } = document.parse(whole);
  // Better Auth's have plans and a shape of their own (`identity.ts`, `judge.ts`).
  const own = Object.entries(paths).filter(([path]) => !path.startsWith('/auth/'));
  const operations = own.flatMap(([path, { servers: elsewhere, ...methods }]) =>
    Object.entries(methods).map(([method, told]): Operation => {
      const base = (elsewhere ?? servers)[0].url.replace(/\/$/, '');
      return { ...operation.parse(told), method: method.toUpperCase(), path: base + path };
    }),
  );

  // Patterns say what a date is; the formats of another package would say no more.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'shop', ...z.record(z.string(), z.unknown()).parse(whole) });
  const pointer = (parts: string[]) =>
    `shop#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
  const breaches = (parts: string[], value: unknown): string | undefined => {
    const judge = ajv.getSchema(pointer(parts));
    if (!judge) return `The document has nothing at ${parts.join(' ')}.`;
    return judge(value) ? undefined : ajv.errorsText(judge.errors);
  };

  return {
    operations,
    /** The call that stands at this address. */
    find: (method: string, path: string): Operation | undefined =>
      operations.find(
        (one) => one.method === method && new RegExp(`^${one.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
      ),
    /** What is wrong with an answer's body, or undefined. */
    judgeAnswer({ method, path, operationId }: Operation, status: string, type: string, value: unknown) {
      const at = operationId === 'uploadImage' ? path : path.slice(servers[0].url.length);
      return breaches(
        ['paths', at, method.toLowerCase(), 'responses', status, 'content', type, 'schema'],
        value,
      );
    },
    judgeProblem: (value: unknown) => breaches(['components', 'schemas', 'Problem'], value),
  };
}
export type ApiDocument = Awaited<ReturnType<typeof readDocument>>;
