import type { Access, Call } from '../call.ts';
import { contract } from '../contract.ts';
import { type IdentityCallName, identityCalls } from '../identity/identity.ts';
import { apiBase, type CallName } from '../paths.ts';
import { examples } from './examples.ts';
import { type Group, groupOf, groups, guide } from './guide.ts';
import { headers, isPublic, responsesOf } from './responses.ts';
import { convertNamedSchemas, parametersOf, schemaOf } from './schemas.ts';
import type { OpenApi, Operation, Parameter, PathItem } from './types.ts';

const accessText: Record<Access, string> = {
  everyone: 'everyone',
  'signed-in': 'signed-in users',
  self: 'the user with that email address',
  'self-or-admin': 'the user with that email address, and admins',
  owner: 'the owner; 404 for others',
  'owner-or-admin': 'the owner and admins; 404 for others',
  admin: 'admins',
  provider: 'the payment provider, by its signature',
};

type AnyCallName = CallName | IdentityCallName;
const calls: Record<AnyCallName, Call> = { ...identityCalls, ...contract };
const exampleOf: Record<AnyCallName, { params?: object; query?: object; body?: unknown; response: unknown }> =
  examples;

/** The contract as an OpenAPI 3.1 document: https://spec.openapis.org/oas/v3.1.1.html */
export function makeOpenApi(sessionCookie: string): OpenApi {
  const paths: Record<string, PathItem> = {};
  for (const [name, call] of Object.entries(calls)) {
    if (!isCallName(name)) continue;
    const path = call.path.replace(/:(\w+)/g, '{$1}');
    const operations = paths[path] ?? {};
    paths[path] = operations;
    if (name === 'uploadImage')
      operations.servers = [{ url: '/', description: 'The image host is at the root of the site.' }];
    operations[methodOf(call)] = buildOperation(name, call);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Hand-Tools Shop',
      version: '1',
      description: [
        'The API of an online store for clock-repair hand tools.',
        ...guide.map(({ title, text, example }) =>
          [`## ${title}`, text.trim(), ...(example ? [`\`\`\`\n${example}\n\`\`\``] : [])].join('\n\n'),
        ),
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: apiBase, description: 'This shop.' }],
    tags: Object.entries(groups).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: convertNamedSchemas(),
      headers,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token in the response of `PUT /user/{email}`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description:
            'The session cookie, which the browser sends by itself. State-changing calls also need `Origin`.',
        },
      },
    },
  };
}

const isCallName = (name: string): name is AnyCallName => Object.hasOwn(calls, name);

function methodOf({ method }: Call) {
  return ({ GET: 'get', PUT: 'put', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const)[method];
}

function buildOperation(name: AnyCallName, call: Call): Operation {
  const { params, query, body, response } = exampleOf[name];
  const parameters = [
    ...parametersOf('path', call.params, { ...params }),
    ...parametersOf('query', call.query, { ...query }),
    ...(call.idempotent ? [idempotencyKey] : []),
    ...(isPublic(call) || call.conditional ? [ifNoneMatch] : []),
    ...(call.access === 'provider' ? [signature] : []),
  ];
  const group: Group = groupOf[name];
  return {
    operationId: name,
    tags: [group],
    summary: call.summary,
    description: `Access: ${accessText[call.access]}.`,
    security: securityOf(name, call),
    ...(parameters.length ? { parameters } : {}),
    ...buildRequestBody(name, call, body),
    responses: responsesOf(call, response),
  };
}

/** The alternative credentials; the most common comes first. */
function securityOf(name: AnyCallName, { access }: Call): Operation['security'] {
  if (access === 'provider') return [{}];
  const signedIn: Operation['security'] = [{ bearer: [] }, { session: [] }];
  if (access !== 'everyone') return signedIn;
  // These also respond without a session.
  return name === 'readSession' || name === 'signOut' ? [...signedIn, {}] : [{}, ...signedIn];
}

const idempotencyKey: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  description: 'The same key from the same user replays the first response; with a different body: 422.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '5b0f4a8e-7c0e-4c5c-9d5d-0d1f2a3b4c5d',
};

const ifNoneMatch: Parameter = {
  in: 'header',
  name: 'If-None-Match',
  description: 'The `ETag` of the cached response: 304 if nothing has changed.',
  schema: { type: 'string' },
};

const signature: Parameter = {
  in: 'header',
  name: 'Stripe-Signature',
  description: "The provider's signature of the body.",
  required: true,
  schema: { type: 'string' },
};

const fileExample = 'id,price\r\n01a1fe3b-6c08-7d36-9c55-8f4f0f2f9f10,39.5\r\n';

function buildRequestBody(name: AnyCallName, call: Call, example: unknown): Pick<Operation, 'requestBody'> {
  if (name === 'uploadImage') {
    const image = { type: 'string', contentMediaType: 'image/*', description: 'The file.' };
    const schema = { type: 'object', required: ['image'], properties: { image } };
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
  }
  if (name === 'receiveStripeEvent')
    return {
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    };
  if (call.file) {
    const content = { [call.file]: { schema: { type: 'string' }, example: fileExample } };
    return { requestBody: { required: true, content } };
  }
  if (!call.body) return {};
  const schema = schemaOf(call.body, 'input');
  return { requestBody: { required: true, content: { 'application/json': { schema, example } } } };
}
