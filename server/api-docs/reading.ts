import { z } from 'zod';
import { nameOf } from './fields.ts';
import type { OpenApi, Operation, Schema } from './types.ts';

/** One call as it is read: `POST`, and its whole path, such as `/api/orders/{id}`. */
export type Told = { method: string; path: string; operation: Operation };

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The calls of a group, in the order of the document. */
export function callsOf({ paths, servers }: OpenApi, group: string): Told[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const base = (item.servers ?? servers)[0]?.url.replace(/\/$/, '') ?? '';
    return methods.flatMap((method): Told[] => {
      const operation = item[method];
      if (operation?.tags[0] !== group) return [];
      return [{ method: method.toUpperCase(), path: base + path, operation }];
    });
  });
}

/** A schema itself where it is only referred to. */
export function resolve({ components }: OpenApi, schema: Schema): Schema {
  const named = nameOf(schema);
  return (named && !named.list && components.schemas[named.name]) || schema;
}

/** The schemas that answers refer to; what is sent stands with its call. */
export function answeredSchemas({ paths, components }: OpenApi): [name: string, schema: Schema][] {
  const answers = JSON.stringify(
    Object.values(paths).map((item) => methods.map((method) => item[method]?.responses)),
  );
  return Object.entries(components.schemas).filter(([name]) => answers.includes(`/schemas/${name}"`));
}

/** What a status means for this call, with the problem's own words for it where it has some. */
export function errorsOf({ responses }: Operation): { status: string; about: string; types: string[] }[] {
  return Object.entries(responses).flatMap(([status, { description, content = {} }]) => {
    if (!/^[45]/.test(status)) return [];
    const problem = z
      .object({
        allOf: z.tuple([
          z.unknown(),
          z.object({ properties: z.object({ type: z.object({ enum: z.array(z.string()) }) }) }),
        ]),
      })
      .safeParse(content['application/problem+json']?.schema);
    return [{ status, about: description, types: problem.data?.allOf[1].properties.type.enum ?? [] }];
  });
}

/** The successful answer: its status and what it brings. */
export function doneOf({ responses }: Operation) {
  const [status, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const media = answer?.content?.['application/json'];
  return { status: status ?? '', media, headers: Object.keys(answer?.headers ?? {}) };
}

/** An example of a call for a shell in which `$SHOP` and `$TOKEN` are set. */
export function curlOf({ method, path, operation }: Told): string {
  const { parameters = [], requestBody, security } = operation;
  const address = path.replace(/\{(\w+)\}/g, (_, name) => exampleOf(operation, name));
  const query = parameters
    .filter(({ in: place, example }) => place === 'query' && example !== undefined)
    .map(({ name, example }) => `${name}=${example}`)
    .join('&');
  const isOpen = Object.keys(security[0] ?? {}).length === 0;
  const json = requestBody?.content['application/json'];
  const options = [
    method === 'GET' ? '' : `-X ${method}`,
    isOpen ? (method === 'GET' ? '' : '-H "Origin: $SHOP"') : '-H "Authorization: Bearer $TOKEN"',
    ...parameters.flatMap(({ name, example }) =>
      name === 'Idempotency-Key' ? [`-H '${name}: ${example}'`] : [],
    ),
    requestBody?.content['multipart/form-data'] ? '-F image=@picture.png' : '',
    json ? "-H 'Content-Type: application/json'" : '',
    json?.example ? `-d '${JSON.stringify(json.example).replaceAll("'", `'\\''`)}'` : '',
  ];
  return [`curl "$SHOP${address}${query ? `?${query}` : ''}"`, ...options.filter(Boolean)].join(' \\\n  ');
}

function exampleOf({ parameters = [] }: Operation, name: string): string {
  return `${parameters.find((parameter) => parameter.name === name)?.example ?? ''}`;
}
