import { expect, test } from 'vitest';
import type { Call } from './call.ts';
import { listErrors } from './call-errors.ts';
import { contract } from './contract.ts';
import { identityCalls } from './identity/identity.ts';

test.each<[reason: string, call: Call, errors: number[]]>([
  ['everyone may read it', contract.getProduct, [404, 422]],
  ['it has a query', contract.listReviews, [401, 403, 422]],
  ['it is for signed-in users', contract.getBasket, [401]],
  ['it names a user', contract.saveUser, [400, 401, 403, 413, 415, 422]],
  ['it is for the owner', contract.getOrder, [401, 404]],
  [
    'its owner is named in the body',
    contract.createPaymentIntent,
    [400, 401, 402, 404, 409, 413, 415, 422, 429],
  ],
  ['it is for admins', contract.adjustStock, [400, 401, 403, 404, 409, 413, 415, 422]],
  ['its body is a file', contract.importProducts, [400, 401, 403, 409, 413, 415, 422]],
  ['it is for the provider', contract.receiveStripeEvent, [400, 402, 413]],
  ['it is the image host’s', contract.uploadImage, [400, 401, 413, 415, 429]],
  ['it is Better Auth’s', identityCalls.changePassword, [400, 401, 413, 415, 429]],
  ['it is Better Auth’s, without fields', identityCalls.signOut, [400, 413, 415]],
  ['it is Better Auth’s and a GET', identityCalls.listSessions, [401, 403]],
])('listErrors: %s', (_, call, errors) => {
  expect(listErrors(call)).toEqual(errors);
});

test('no call lists an error that follows from its definition', () => {
  const calls = Object.entries<Call>({ ...contract, ...identityCalls });
  const redundant = calls.filter(([, call]) => {
    const { errors: _, ...rest } = call;
    return call.errors?.some((status) => listErrors(rest).includes(status));
  });
  expect(redundant.map(([name]) => name)).toEqual([]);
});
