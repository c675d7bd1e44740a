import fc, { type Arbitrary } from 'fast-check';
import { events, uploads } from './bodies.ts';
import type { Operation } from './document.ts';
import { headers } from './headers.ts';
import { brokenBody } from './hostile.ts';
import { identityPlans } from './identity.ts';
import type { Plan, Sender } from './plan.ts';
import { exampleValues, generatePath, generateQuery, generateStrayRequests } from './request-paths.ts';
import { generateBody } from './values.ts';

const people = {
  sender: fc.constantFrom<Sender>('anonymous', 'customer', 'customer', 'admin', 'admin'),
  credential: fc.constantFrom('cookie' as const, 'token' as const),
};

const encoding = fc.oneof(
  { weight: 30, arbitrary: fc.constant<BufferEncoding>('utf8') },
  { weight: 1, arbitrary: fc.constantFrom<BufferEncoding>('latin1', 'utf16le') },
);

/** Requests mostly to the document's operations, some to Better Auth's endpoints and other paths. */
export function generatePlans(operations: Operation[]): Arbitrary<Plan> {
  const common = { ...people, headers, encoding };
  return fc.oneof(
    { weight: 16, arbitrary: fc.oneof(...operations.map(generatePlan)) },
    { weight: 3, arbitrary: fc.record({ ...common, ...generateStrayRequests(operations) }) },
    { weight: 1, arbitrary: identityPlans(fc.record(common)) },
  );
}

function generatePlan(operation: Operation): Arbitrary<Plan> {
  const { operationId, method, requestBody } = operation;
  const content = requestBody?.content ?? {};
  const key = operation.parameters.some((one) => one.in === 'header') ? idempotencyHeaders : fc.constant({});
  const path = fc.tuple(generatePath(operation), generateQuery(operation)).map((parts) => parts.join(''));
  const common = { ...people, method: fc.constant(method), path };
  if (operationId === 'uploadImage')
    return fc.tuple(fc.record(common), uploads, headers).map(([plan, upload, unusual]) => {
      return { ...plan, ...upload, headers: { ...upload.headers, ...unusual } };
    });
  const json = content['application/json'];
  const signed = operationId === 'receiveStripeEvent' ? { 'stripe-signature': '{{signature}}' } : {};
  const body = signed['stripe-signature']
    ? events
    : json
      ? generateBody(json.schema, exampleValues)
      : fc.constant(undefined);
  return fc
    .tuple(
      fc.record({ ...common, encoding }),
      fc.oneof({ weight: 20, arbitrary: body }, { weight: 1, arbitrary: brokenBody }),
      key,
      headers,
    )
    .map(([plan, sent, keyHeader, unusual]) => ({
      ...plan,
      ...(sent === undefined ? {} : { body: sent }),
      headers: {
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...signed,
        ...keyHeader,
        ...unusual,
      },
    }));
}

const idempotencyHeaders = fc.oneof(
  fc.constant({}),
  fc.nat(50).map((key) => ({ 'idempotency-key': `key-${key}` })),
);
