import type { Call } from '../call.ts';
import { listErrors, type Protocol, protocolOf } from '../call-errors.ts';
import { uploaded } from '../catalogue/images.ts';
import { errorTable } from '../errors.ts';
import { identityErrorBody } from '../identity/identity.ts';
import { schemaOf } from './schemas.ts';
import type { ApiResponse, JsonSchema, ResponseHeader } from './types.ts';

/** Response headers that the document refers to by name. */
export const headers: Record<string, ResponseHeader> = {
  Link: {
    description: 'The next page, with `rel="next"` (RFC 8288); absent on the last page.',
    schema: { type: 'string' },
    example: '</api/products?limit=3&after=01a1fe3b-6c08-7d36-9c55-8f4f0f2f9f10>; rel="next"',
  },
  ETag: {
    description:
      'For `If-None-Match`. On public calls only if neither a cookie nor `Authorization` was sent.',
    schema: { type: 'string' },
    example: 'W/"T1PNoYwrqgwDVLtf"',
  },
  'Retry-After': {
    description: 'When to try again, in seconds.',
    schema: { type: 'integer' },
    example: '5',
  },
  'X-Request-Id': { description: "Identifies the request in the shop's log.", schema: { type: 'string' } },
  'Set-Cookie': { description: "The session's cookie.", schema: { type: 'string' } },
};

type Code = keyof typeof errorTable;
const isCode = (code: string): code is Code => Object.hasOwn(errorTable, code);

/** All responses of a call: its own, and the errors that any call may have. */
export function responsesOf(call: Call, example: unknown): Record<string, ApiResponse> {
  const protocol = protocolOf(call);
  const isCacheable = isPublic(call) || call.conditional;
  const isList = call.query && 'after' in call.query.shape;
  const startsSession = protocol === 'identity' && call.body && 'user' in shapeOf(call.response);
  const success: ApiResponse = {
    description: 'Success.',
    headers: refTo('X-Request-Id', isList && 'Link', isCacheable && 'ETag', startsSession && 'Set-Cookie'),
    content: {
      'application/json': { schema: schemaOf(call.response, 'output'), example },
      ...(call.query && 'format' in call.query.shape ? csvFile : {}),
    },
  };
  const errors = new Set([...listErrors(call), 503, ...(hasOriginCheck(call) ? [403] : [])]);
  return {
    [call.status ?? 200]: success,
    ...(isCacheable
      ? { 304: { description: 'Nothing has changed.', headers: refTo('X-Request-Id', 'ETag') } }
      : {}),
    ...Object.fromEntries([...errors].map((status) => [status, errorResponse(call, protocol, status)])),
    default: {
      description: 'Any other error.',
      headers: refTo('X-Request-Id'),
      content: bodyOf(protocol, []),
    },
  };
}

/** The response to `format=csv`. */
const csvFile = { 'text/csv; charset=utf-8': { schema: { type: 'string' } } };

/** Whether the response is public and cacheable. */
export const isPublic = (call: Call): boolean =>
  call.access === 'everyone' && call.method === 'GET' && protocolOf(call) === 'shop';

/** Whether the call rejects requests from other sites. */
const hasOriginCheck = ({ method, access }: Call): boolean => method !== 'GET' && access !== 'provider';

function errorResponse(call: Call, protocol: Protocol, status: number): ApiResponse {
  const codes = codesOf(call, status);
  return {
    description: `${codes.map((code) => errorTable[code].title).join('; ')}.`,
    headers: refTo('X-Request-Id', (status === 429 || status === 503) && 'Retry-After'),
    content: bodyOf(protocol, codes),
  };
}

/** The error codes that this call may return with this status. */
function codesOf(call: Call, status: number): Code[] {
  if (status === 409) return (call.conflicts ?? []).filter(isCode);
  const statuses = listErrors(call);
  const isExcluded: Partial<Record<Code, boolean>> = {
    forged: call.access !== 'provider',
    unreadable: call.access === 'provider',
    not_allowed: !statuses.includes(403),
    foreign_origin: !hasOriginCheck(call),
    // Only calls that send a request to the provider list 402.
    provider_unreachable: !statuses.includes(402),
  };
  return Object.keys(errorTable).filter(
    (code): code is Code => isCode(code) && errorTable[code].status === status && !isExcluded[code],
  );
}

function bodyOf(protocol: Protocol, codes: Code[]): Record<string, { schema: JsonSchema }> {
  if (protocol === 'images') return { 'application/json': { schema: schemaOf(uploaded, 'output') } };
  if (protocol === 'identity')
    return { 'application/json': { schema: schemaOf(identityErrorBody, 'output') } };
  const problem = { $ref: '#/components/schemas/Problem' };
  const type = { enum: codes.map((code) => `urn:problem:${code}`) };
  const schema =
    codes.length === 0 ? problem : { allOf: [problem, { type: 'object', properties: { type } }] };
  return { 'application/problem+json': { schema } };
}

function refTo(...names: (string | false | undefined)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    names
      .filter((name) => typeof name === 'string')
      .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

const shapeOf = (schema: Call['response']): object =>
  ('shape' in schema && typeof schema.shape === 'object' && schema.shape) || {};
