import type { Call } from '../../contract/call.ts';
import { identityError } from '../../contract/identity.ts';
import { uploaded } from '../../contract/images.ts';
import { errorTable } from '../errors.ts';
import { schemaOf } from './schemas.ts';
import type { Answer, Header, Schema } from './types.ts';

/** Which protocol a call speaks: the shop's own, the image service's or Better Auth's. */
export type Protocol = 'shop' | 'images' | 'identity';

/** Headers of answers, by the names that the document refers to them with. */
export const headers: Record<string, Header> = {
  Link: {
    description: 'Where the list goes on, with `rel="next"` (RFC 8288); absent at its end.',
    schema: { type: 'string' },
    example: '</api/products?limit=3&after=01a1fe3b-6c08-7d36-9c55-8f4f0f2f9f10>; rel="next"',
  },
  ETag: {
    description: 'For `If-None-Match`; only where neither cookie nor `Authorization` was sent.',
    schema: { type: 'string' },
    example: 'W/"T1PNoYwrqgwDVLtf"',
  },
  'Retry-After': {
    description: 'In how many seconds to come back.',
    schema: { type: 'integer' },
    example: '5',
  },
  'X-Request-Id': { description: "Names the request in the shop's log.", schema: { type: 'string' } },
  'Set-Cookie': { description: "The session's cookie.", schema: { type: 'string' } },
};

type Code = keyof typeof errorTable;
const isCode = (code: string): code is Code => Object.hasOwn(errorTable, code);

/** All that a call may answer. What it says for itself, and what no call can help: see `Call`. */
export function answersOf(call: Call, protocol: Protocol, example: unknown): Record<string, Answer> {
  const shared = isPublic(call);
  const listed = call.query && 'after' in call.query.shape;
  const entering = protocol === 'identity' && call.body && 'user' in shapeOf(call.answer);
  const done: Answer = {
    description: 'Done.',
    headers: refer('X-Request-Id', listed && 'Link', shared && 'ETag', entering && 'Set-Cookie'),
    content: { 'application/json': { schema: schemaOf(call.answer, 'output'), example } },
  };
  const errors = new Set([...call.errors, 503, ...(isChange(call) ? [403] : [])]);
  return {
    [call.status ?? 200]: done,
    ...(shared
      ? { 304: { description: 'Nothing has changed.', headers: refer('X-Request-Id', 'ETag') } }
      : {}),
    ...Object.fromEntries([...errors].map((status) => [status, refusal(call, protocol, status)])),
    default: {
      description: 'Any other error.',
      headers: refer('X-Request-Id'),
      content: bodyOf(protocol, []),
    },
  };
}

/** Everybody reads it, and it may be kept. */
export const isPublic = (call: Call): boolean =>
  call.who === 'everybody' && call.method === 'GET' && !call.path.startsWith('/auth');

/** A browser that sends it from another site is refused. */
const isChange = ({ method, who }: Call): boolean => method !== 'GET' && who !== 'provider';

function refusal(call: Call, protocol: Protocol, status: number): Answer {
  const codes = codesOf(call, status);
  return {
    description: `${codes.map((code) => errorTable[code].title).join('; ')}.`,
    headers: refer('X-Request-Id', (status === 429 || status === 503) && 'Retry-After'),
    content: bodyOf(protocol, codes),
  };
}

/** Which of the shop's words an error of this status may bring. */
function codesOf(call: Call, status: number): Code[] {
  if (status === 409) return (call.conflicts ?? []).filter(isCode);
  const never: Partial<Record<Code, boolean>> = {
    forged: call.who !== 'provider',
    unreadable: call.who === 'provider',
    not_allowed: call.who === 'person' || !call.errors.includes(403),
    foreign_origin: !isChange(call),
    provider_unreachable: !call.errors.includes(402),
  };
  return Object.keys(errorTable).filter(
    (code): code is Code => isCode(code) && errorTable[code].status === status && !never[code],
  );
}

function bodyOf(protocol: Protocol, codes: Code[]): Record<string, { schema: Schema }> {
  if (protocol === 'images') return { 'application/json': { schema: schemaOf(uploaded, 'output') } };
  if (protocol === 'identity') return { 'application/json': { schema: schemaOf(identityError, 'output') } };
  const problem = { $ref: '#/components/schemas/Problem' };
  const type = { enum: codes.map((code) => `urn:problem:${code}`) };
  const schema =
    codes.length === 0 ? problem : { allOf: [problem, { type: 'object', properties: { type } }] };
  return { 'application/problem+json': { schema } };
}

function refer(...names: (string | false | undefined)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    names
      .filter((name) => typeof name === 'string')
      .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

const shapeOf = (schema: Call['answer']): object =>
  ('shape' in schema && typeof schema.shape === 'object' && schema.shape) || {};
