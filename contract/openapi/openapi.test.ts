import { Validator } from '@seriousme/openapi-schema-validator';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loseStock } from '../../tests/support/late-payment.ts';
import { readToken, waitForDelivery } from '../../tests/support/letters.ts';
import { createDevice } from '../../tests/support/passkeys.ts';
import { inlineReferences } from '../../tests/support/references.ts';
import {
  cookieHeaders,
  readSetCookies,
  type SendOptions,
  sendCall,
  sendRequest,
  tokenHeaders,
} from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { computeCode } from '../../tests/support/two-factor.ts';
import type { Call } from '../call.ts';
import { listErrors } from '../call-errors.ts';
import { contract } from '../contract.ts';
import { type IdentityCallName, identityCalls } from '../identity/identity.ts';
import type { CallName } from '../paths.ts';

const schema = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.object({ schema, example: z.unknown().optional() }));
const operation = z.object({
  operationId: z.string(),
  summary: z.string().min(1),
  description: z.string().min(1),
  security: z.array(schema),
  parameters: z
    .array(
      z.object({
        in: z.string(),
        name: z.string(),
        required: z.boolean().optional(),
        schema,
        example: z.unknown().optional(),
      }),
    )
    .default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(
    z.string(),
    z.object({ description: z.string().regex(/^\w/), content: content.default({}) }),
  ),
});
const document = z.object({
  openapi: z.string().startsWith('3.1.'),
  servers: z.tuple([z.object({ url: z.literal('/api') })]),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({
    schemas: z.record(z.string(), schema),
    securitySchemes: z.object({ session: z.object({ name: z.string() }) }),
  }),
});

async function readDocument(shop: TestShop) {
  const response = await sendRequest(shop, 'GET', '/api/openapi.json');
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const plain: Record<string, unknown> = await response.json();
  const parsed = document.parse(inlineReferences(plain));
  return {
    plain,
    ...parsed,
    find({ method, path }: Call) {
      const address = path.replace(/:(\w+)/g, '{$1}');
      return operation.parse(parsed.paths[address]?.[method.toLowerCase()]);
    },
  };
}

test('the document is valid OpenAPI 3.1', async () => {
  await using shop = await startShop();
  const { plain } = await readDocument(shop);
  const { valid, errors } = await new Validator().validate(plain);
  expect([valid, errors]).toEqual([true, undefined]);
  // In floating point, 19.99 / 0.01 is not an integer, so most validators would reject it.
  expect(JSON.stringify(plain)).not.toContain('multipleOf');
});

test('the document names the cookie that the shop uses at its URL', async () => {
  const cookieAt = async (settings: Record<string, string>) => {
    await using shop = await startShop({ settings });
    const { components } = await readDocument(shop);
    return components.securitySchemes.session.name;
  };
  expect(await cookieAt({})).toBe('shop.session_token');
  const secure = await cookieAt({ PUBLIC_URL: 'https://shop.example' });
  expect(secure).toBe('__Host-shop.session_token');
});

test('the document has every call with its access, parameters, body and responses', async () => {
  await using shop = await startShop();
  const { paths, find } = await readDocument(shop);
  const calls = Object.entries<Call>({ ...contract, ...identityCalls });
  for (const [name, call] of calls) {
    const operation = find(call);
    expect(operation.operationId).toBe(name);
    const common = call.method === 'GET' || call.access === 'provider' ? [503] : [403, 503];
    const isPublic = call.access === 'everyone' && call.method === 'GET' && name in contract;
    const notModified = isPublic || call.conditional ? [304] : [];
    const statuses = [call.status ?? 200, ...notModified, ...listErrors(call), ...common, 'default'];
    const expected = new Set(statuses.map(String));
    expect([name, Object.keys(operation.responses).sort()]).toEqual([name, [...expected].sort()]);
    const inPath = [...call.path.matchAll(/:(\w+)/g)].map(([, part]) => part);
    const documented = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(documented.map((parameter) => [parameter.name, parameter.required])).toEqual(
      inPath.map((part) => [part, true]),
    );
    const hasKey = operation.parameters.some((parameter) => parameter.name === 'Idempotency-Key');
    expect([name, hasKey]).toEqual([name, call.idempotent === true]);
    expect(operation.security.some((way) => Object.keys(way).length === 0)).toBe(
      call.access === 'everyone' || call.access === 'provider',
    );
  }
  const documented = Object.values(paths).flatMap((at) => Object.keys(at).filter((key) => key !== 'servers'));
  expect(documented).toHaveLength(calls.length);
});

test('a 403 is described for calls that need a recent sign-in', async () => {
  await using shop = await startShop();
  const { find } = await readDocument(shop);
  const describe403 = (call: Call) => find(call).responses[403]?.description;
  expect(describe403(identityCalls.listSessions)).toBe('You are not allowed to do this.');
  expect(describe403(identityCalls.linkGoogle)).toBe(
    'You are not allowed to do this; This request came from another site.',
  );
  expect(describe403(contract.uploadImage)).toBe('This request came from another site.');
});

test('the examples match their schemas', async () => {
  await using shop = await startShop();
  const { find } = await readDocument(shop);
  for (const [name, call] of Object.entries<Call>({ ...contract, ...identityCalls })) {
    const { parameters, requestBody, responses } = find(call);
    const success = responses[call.status ?? 200]?.content['application/json'];
    expect([name, success?.example]).toEqual([name, expect.anything()]);
    const documented = [...parameters, ...Object.values(requestBody?.content ?? {}), success];
    for (const part of documented) {
      if (part?.example === undefined) continue;
      expect([name, z.fromJSONSchema(part.schema).safeParse(part.example).error]).toEqual([name, undefined]);
    }
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.filter(({ example }) => example === undefined)).toEqual([]);
  }
});

test('responses of the identity calls match the document', async () => {
  await using shop = await startShop();
  const { find } = await readDocument(shop);
  let email = 'ann@example.com';
  const { password, name } = { password: 'verge-and-foliot', name: 'Ann' };
  const checkedCalls = new Set<string>();
  let headers: Record<string, string> = {};

  async function check(call: IdentityCallName, body: object | undefined, status: number) {
    const { method, path } = identityCalls[call];
    const response = await sendRequest(shop, method, `/api${path}`, { body, headers });
    expect([call, response.status]).toEqual([call, status]);
    const { schema } = find(identityCalls[call]).responses[status]?.content['application/json'] ?? {};
    const answer: unknown = await response.json();
    expect([call, z.fromJSONSchema(schema ?? { not: {} }).safeParse(answer).error]).toEqual([
      call,
      undefined,
    ]);
    if (status === 200) checkedCalls.add(call);
    const cookie = readSetCookies(response);
    if (/^shop\.(session_token|two_factor)=/.test(cookie)) headers = cookieHeaders({ cookie });
    // The new challenge replaces an earlier one.
    if (/^shop\.passkey=/.test(cookie))
      headers = { cookie: `${cookie}; ${headers.cookie?.replace(/^shop\.passkey=[^;]*; /, '')}` };
    return answer;
  }

  await check('readSession', undefined, 200);
  await check('signUp', { name, email, password }, 200);
  await check('signUp', { name, email, password }, 422);
  await check('signIn', { email, password: 'not-the-password' }, 401);
  await check('signIn', { email, password: '' }, 400);
  headers = {};
  await check('listSessions', undefined, 401);
  await check('signIn', { email, password }, 200);
  await check('readSession', undefined, 200);
  await check('listSessions', undefined, 200);
  await check('changePassword', { currentPassword: password, newPassword: 'anchor-and-pallets' }, 200);
  await check('revokeSession', { token: 'of-nobody' }, 200);
  await check('revokeOtherSessions', {}, 200);
  await shop.listen();
  // The sign-up's link must be sent before `sendConfirmation` replaces it.
  await waitForDelivery(shop);
  await check('linkGoogle', { provider: 'google', callbackURL: '/dashboard' }, 200);
  await check('signInWithGoogle', { provider: 'google', callbackURL: '/' }, 200);
  await check('sendConfirmation', {}, 200);
  const confirmation = await readToken(shop, email, '/confirm-address');
  await check('confirmAddress', { token: confirmation }, 200);
  await check('confirmAddress', { token: confirmation }, 400);
  const ownPassword = 'anchor-and-pallets';
  const newEmail = 'ann@new.example';
  await check('requestEmailChange', { newEmail, password }, 422);
  await check('requestEmailChange', { newEmail, password: ownPassword }, 200);
  const change = await readToken(shop, newEmail, '/change-address');
  await check('confirmEmailChange', { token: 'unknown' }, 400);
  await check('confirmEmailChange', { token: change }, 200);
  email = newEmail;
  await check('requestPasswordReset', { email }, 200);
  const token = await readToken(shop, email, '/reset-password');
  await check('resetPassword', { token: 'unknown', newPassword: password }, 400);
  await check('resetPassword', { token, newPassword: password }, 200);
  await check('signIn', { email, password }, 200);
  const { totpURI } = identityCalls.enableTwoFactor.response.parse(
    await check('enableTwoFactor', { password }, 200),
  );
  const secret = new URL(totpURI).searchParams.get('secret') ?? expect.unreachable(totpURI);
  await check('verifyCode', { code: computeCode(secret) }, 200);
  const { backupCodes } = identityCalls.renewRecoveryCodes.response.parse(
    await check('renewRecoveryCodes', { password }, 200),
  );
  headers = {};
  await check('signIn', { email, password }, 200);
  await check('verifyRecoveryCode', { code: 'aaaaa-aaaaa' }, 401);
  await check('verifyRecoveryCode', { code: backupCodes[0] }, 200);
  await check('disableTwoFactor', { password }, 200);
  const device = createDevice();
  const readChallenge = (answer: unknown) =>
    identityCalls.startPasskeySignIn.response.parse(answer).challenge;
  await check('startAddingPasskey', {}, 422);
  const toAdd = readChallenge(await check('startAddingPasskey', { password }, 200));
  const response = device.create(toAdd, shop.origin);
  const added = await check('addPasskey', { name: 'Phone', response }, 200);
  await check('addPasskey', { name: 'Phone', response }, 400);
  await check('listPasskeys', undefined, 200);
  const toUse = readChallenge(await check('startPasskeySignIn', {}, 200));
  await check('signInWithPasskey', { response: device.get(toUse, shop.origin) }, 200);
  const { id } = identityCalls.addPasskey.response.parse(added);
  await check('removePasskey', { id, password }, 200);
  await check('removePasskey', { id, password }, 404);
  await check('revokeSessions', {}, 200);
  await check('signOut', {}, 200);
  expect([...checkedCalls].sort()).toEqual(Object.keys(identityCalls).sort());
});

test('requests and responses of the shop match the document', async () => {
  await using shop = await startShop({ settings: { CONTACT_EMAIL: 'owner@mail.example' } });
  const { find } = await readDocument(shop);
  const [tom, admin] = [await shop.signUpConfirmed(), await shop.admin()];
  const product = await shop.addProduct({ price: 19.99 });
  const statusesByCall = new Map<CallName, number[]>();

  async function check(name: CallName, options: SendOptions, status: number): Promise<unknown> {
    const call = find(contract[name]);
    if (status < 300 && typeof options.body === 'object' && !(options.body instanceof FormData)) {
      const schema = call.requestBody?.content['application/json']?.schema ?? {};
      expect([name, z.fromJSONSchema(schema).safeParse(options.body).error]).toEqual([name, undefined]);
    }
    const response = await sendCall(shop, name, options);
    expect([name, response.status]).toEqual([name, status]);
    const type = response.headers.get('content-type') ?? '';
    const schema = call.responses[status]?.content[type]?.schema;
    expect([name, status, type, schema]).toEqual([name, status, type, expect.anything()]);
    const body: unknown = await response.json();
    expect([name, status, z.fromJSONSchema(schema ?? {}).safeParse(body).error]).toEqual([
      name,
      status,
      undefined,
    ]);
    statusesByCall.set(name, [...(statusesByCall.get(name) ?? []), status]);
    return body;
  }

  const foreign = { origin: 'https://elsewhere.example' };
  const [asTom, asAdmin] = [{ headers: tokenHeaders(tom) }, { headers: tokenHeaders(admin) }];
  const form = new FormData();
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: '#777' } }).png();
  form.set('image', new Blob([new Uint8Array(await pixel.toBuffer())]));
  const params = { email: tom.email };
  const profile = { address: 'A', phone: '1', education: 'E', linkedIn: 'L' };
  const { _id: orderId, img } = product;
  const order = { orderId, orderQuantity: 1, price: 19.99, user: tom.email };
  const added = {
    name: 'Vise',
    email: admin.email,
    description: 'D',
    img,
    price: 1,
    o_quantity: 1,
    a_quantity: 1,
  };

  await check('saveUser', { params, body: { email: tom.email }, ...asTom }, 200);
  await check('saveUser', { params, body: profile, ...asTom }, 200);
  await check('saveUser', { params, body: {}, ...asTom }, 422);
  await check('isAdmin', { params, ...asTom }, 200);
  await check('isAdmin', { params }, 401);
  await check('exportUser', { params, ...asTom }, 200);
  await check('exportUser', { params, ...asAdmin }, 403);
  await check('listUsers', asAdmin, 200);
  await check('listUsers', asTom, 403);
  await check('listAudit', asAdmin, 200);
  await check('getShopDetails', asAdmin, 200);
  await check('getShopDetails', asTom, 403);
  const details = { version: 0, name: 'Escapement Supplies', taxId: 'VAT 1' };
  await check('saveShopDetails', { body: details, ...asAdmin }, 200);
  await check('saveShopDetails', { body: { ...details, name: 'Fusee' }, ...asAdmin }, 409);
  await check('saveShopDetails', { body: { version: 1 }, ...asAdmin }, 422);
  await check('getHealth', asAdmin, 200);
  await check('getHealth', asTom, 403);
  await check('retryMail', asAdmin, 200);
  await check('retryMail', asTom, 403);
  await check('getOverview', asAdmin, 200);
  await check('getOverview', { query: { from: 'x' }, ...asAdmin }, 422);
  await check('getOverview', asTom, 403);
  await check('getRestoredBackup', asAdmin, 200);
  await check('listUnknownPayments', asAdmin, 200);
  const dismissal = { params: { id: 'pi_none' }, body: { outcome: 'dismissed' } };
  await check('settleUnknownPayment', { ...dismissal, ...asAdmin }, 404);
  await check('settleUnknownPayment', { ...dismissal, ...asTom }, 403);
  await check('makeAdmin', { params: { email: admin.email }, ...asAdmin }, 200);
  await check('makeAdmin', { params: { email: 'nobody@example.com' }, ...asAdmin }, 404);
  await check('removeAdmin', { params, ...asAdmin }, 200);
  await check('signOutUser', { params: { email: 'nobody@example.com' }, ...asAdmin }, 404);
  await check('removeAdmin', { params: { email: 'nobody@example.com' }, ...asAdmin }, 404);
  await check('listProducts', { query: { limit: '3' } }, 200);
  await check('listProducts', { query: { limit: 'x' } }, 422);
  await check('listProducts', asAdmin, 200);
  await check('getProductFilters', { query: { q: 'ree', minPrice: '1.5' } }, 200);
  await check('getProductFilters', { query: { maxPrice: 'x' } }, 422);
  await check('getProductFilters', { query: { archived: 'true' } }, 401);
  await check('getProductFilters', { query: { archived: 'true' }, ...asTom }, 403);
  await check('getProduct', { params: { id: orderId } }, 200);
  await check('getProduct', { params: { id: 'x' } }, 404);
  await check('listRelatedProducts', { params: { id: orderId } }, 200);
  await check('listRelatedProducts', { params: { id: 'x' } }, 404);
  await check('requestBackInStock', { params: { id: orderId }, ...asTom }, 409);
  await check('requestBackInStock', { params: { id: 'x' }, ...asTom }, 404);
  await check('requestBackInStock', { params: { id: orderId } }, 401);
  await check('cancelBackInStock', { params: { id: orderId }, ...asTom }, 200);
  const { insertedId } = contract.addProduct.response.parse(
    await check('addProduct', { body: added, ...asAdmin }, 201),
  );
  await check('addProduct', { body: '{', ...asAdmin }, 400);
  const edit = { params: { id: insertedId }, body: { version: 1, price: 2, category: null, lowStock: 3 } };
  await check('editProduct', { ...edit, ...asAdmin }, 200);
  await check('editProduct', { ...edit, body: { version: 1, price: 3 }, ...asAdmin }, 409);
  await check('editProduct', { ...edit, body: { version: 1, price: 0 }, ...asAdmin }, 422);
  await check('listCategories', asAdmin, 200);
  await check('listProducts', { query: { q: 'ree', sort: '-price' }, ...asAdmin }, 200);
  await check('listProducts', { query: { archived: 'true' }, ...asAdmin }, 200);
  await check('listProducts', { query: { archived: 'true' } }, 401);
  await check('listProducts', { query: { archived: 'true' }, ...asTom }, 403);
  const delivery = { params: { id: insertedId }, body: { change: 5, reason: 'delivery' } };
  await check('adjustStock', { ...delivery, ...asAdmin }, 201);
  await check('adjustStock', { ...delivery, body: { change: -9, reason: 'damage' }, ...asAdmin }, 409);
  await check('adjustStock', { ...delivery, body: { change: 0, reason: 'sale' }, ...asAdmin }, 422);
  await check('listProductStock', { params: { id: insertedId }, ...asAdmin }, 200);
  await check('listProductStock', { params: { id: 'x' }, ...asAdmin }, 404);
  await check('listStock', { query: { reason: 'delivery' }, ...asAdmin }, 200);
  await check('listStock', { query: { reason: 'x' }, ...asAdmin }, 422);
  const productReview = { product: insertedId, rating: 4, reviews: 'True.', img };
  const own = contract.addReview.response.parse(
    await check('addReview', { body: productReview, ...asTom }, 201),
  );
  await check('addReview', { body: productReview, ...asTom }, 409);
  await check('addReview', { body: { ...productReview, product: 'x' }, ...asTom }, 404);
  await check('getProduct', { params: { id: insertedId } }, 200);
  const ofProduct = { params: { id: insertedId }, query: { sort: 'best' } };
  await check('listProductReviews', { ...ofProduct, ...asTom }, 200);
  await check('listProductReviews', { ...ofProduct, query: { sort: 'x' } }, 422);
  await check('listReviewableProducts', asTom, 200);
  await check('listReviewableProducts', {}, 401);
  const ownReview = { params: { id: own.insertedId } };
  await check('editReview', { ...ownReview, body: { rating: 5 }, ...asTom }, 200);
  await check('editReview', { ...ownReview, body: { rating: 5 }, ...asAdmin }, 404);
  await check('reportReview', { ...ownReview, body: { reason: 'Rude.' }, ...asAdmin }, 200);
  await check('reportReview', { ...ownReview, body: {}, ...asAdmin }, 422);
  await check('listReviews', { query: { reported: 'true' }, ...asAdmin }, 200);
  await check('listReviews', { query: { reported: 'true' }, ...asTom }, 403);
  await check('listReviews', { query: { own: 'true' } }, 401);
  await check('getReportedCount', asAdmin, 200);
  await check('getReportedCount', asTom, 403);
  const seenReports = { ...ownReview, query: { until: new Date().toISOString() } };
  await check('dismissReports', { ...seenReports, ...asAdmin }, 200);
  await check('dismissReports', { ...ownReview, ...asAdmin }, 422);
  await check('dismissReports', { ...seenReports, ...asTom }, 403);
  await check('approveReview', { ...ownReview, body: { version: 2 }, ...asAdmin }, 200);
  await check('approveReview', { ...ownReview, body: { version: 1 }, ...asAdmin }, 409);
  await check('approveReview', { ...ownReview, body: { version: 2 }, ...asTom }, 403);
  await check('answerReview', { ...ownReview, body: { version: 2, answer: 'Thanks.' }, ...asAdmin }, 200);
  await check('answerReview', { ...ownReview, body: { version: 2, answer: 'Sorry.' }, ...asAdmin }, 409);
  await check('answerReview', { ...ownReview, body: { answer: 'Sorry.' }, ...asAdmin }, 422);
  await check('answerReview', { params: { id: 'x' }, body: { version: 1, answer: '' }, ...asAdmin }, 404);
  await check('listReviews', { query: { pending: 'true' }, ...asAdmin }, 200);
  await check('listReviews', { query: { pending: 'true' }, ...asTom }, 403);
  await check('hideReview', { ...ownReview, body: { version: 3, reason: 'Rude.' }, ...asAdmin }, 200);
  await check('hideReview', { ...ownReview, body: { version: 3, reason: 'Mean.' }, ...asAdmin }, 409);
  await check('deleteReview', { ...ownReview, ...asTom }, 409);
  await check('showReview', { ...ownReview, query: { version: '3' }, ...asAdmin }, 409);
  await check('showReview', { ...ownReview, query: { version: '4' }, ...asAdmin }, 200);
  await check('deleteReview', { ...ownReview, ...asTom }, 200);
  await check('deleteReview', { ...ownReview, ...asTom }, 404);
  await check('deleteProduct', { params: { id: insertedId }, ...asAdmin }, 200);
  await check('addReview', { body: { rating: 5, reviews: 'Good.', img }, ...asTom }, 201);
  const { insertedId: reviewId } = contract.addReview.response.parse(
    await check('addReview', { body: { rating: 1, reviews: 'Bad.', img }, ...asTom }, 201),
  );
  const hiding = { params: { id: reviewId }, body: { version: 1, reason: 'Advertising.' } };
  await check('hideReview', { ...hiding, ...asAdmin }, 200);
  await check('hideReview', { ...hiding, ...asTom }, 403);
  await check('listReviews', asTom, 200);
  await check('listReviews', { query: { hidden: 'true' }, ...asTom }, 200);
  await check('showReview', { params: { id: reviewId }, query: { version: '2' }, ...asAdmin }, 200);
  await check('showReview', { params: { id: 'x' }, query: { version: '2' }, ...asAdmin }, 404);
  const placed = contract.placeOrder.response.parse(
    await check('placeOrder', { body: order, ...asTom }, 201),
  );
  await check('placeOrder', { body: { ...order, price: 19.98 }, ...asTom }, 409);
  await check('placeOrder', { body: { ...order, user: admin.email }, ...asTom }, 403);
  const id = { id: placed.insertedId };
  await check('listAllOrders', asAdmin, 200);
  await check('listAllOrders', { query: { q: 'tom', status: 'unpaid', sort: 'price' }, ...asAdmin }, 200);
  await check('listAllOrders', { query: { from: '2026-03-02', to: '2026-03-01' }, ...asAdmin }, 422);
  await check('sumOrders', asAdmin, 200);
  await check('sumOrders', asTom, 403);
  await check('sumOrders', { query: { by: 'sent' }, ...asAdmin }, 422);
  await check('listOwnOrders', { query: { user: tom.email }, ...asTom }, 200);
  await check('getOrder', { params: id, ...asTom }, 200);
  await check('createPaymentIntent', { body: { price: 19.99, order: id.id }, ...asTom }, 200);
  await check('createPaymentIntent', { body: { price: 19.98 }, ...asTom }, 409);
  await check('markOrderPaid', { params: id, body: { transactionId: 'pi_x' }, ...asTom }, 409);
  await check('shipOrder', { params: id, body: { orderStatus: 'sipping' }, ...asAdmin }, 409);
  const parcel = { lines: [{ order: id.id, quantity: 1 }] };
  const { purchase: purchaseId } = await shop.client(tom).call('getOrder', { params: id });
  await check('shipParcel', { body: { ...parcel, versions: { [purchaseId]: 1 } }, ...asAdmin }, 409);
  await check('shipParcel', { body: { ...parcel, versions: {} }, ...asAdmin }, 422);
  await check('undoShipment', { params: id, ...asAdmin }, 404);
  await check('undoShipment', { params: id, ...asTom }, 403);
  const refund = { params: id, body: { version: 1, amount: 1, quantity: 0, restock: 0, reason: 'other' } };
  await check('refundOrder', { ...refund, ...asAdmin }, 409);
  await check('refundOrder', { ...refund, ...asTom }, 403);
  const wholeRefund = { params: { id: purchaseId }, body: { version: 1, reason: 'other' } };
  await check('refundPurchase', { ...wholeRefund, ...asAdmin }, 409);
  await check('refundPurchase', { ...wholeRefund, ...asTom }, 403);
  await check('settleRefund', { params: id, body: { outcome: 'repaid' }, ...asAdmin }, 404);
  await check('recordReturn', { params: id, body: { version: 1, quantity: 1 }, ...asAdmin }, 409);
  const line = { order: id.id, amount: 1, quantity: 0, restock: 0 };
  await check('assignRefund', { params: id, body: { version: 1, lines: [line] }, ...asAdmin }, 404);
  await check('assignRefund', { params: id, body: { version: 1, lines: [] }, ...asAdmin }, 422);
  await check('settleRefund', { params: id, body: { outcome: 'refunded' }, ...asAdmin }, 422);
  const note = { params: id, body: { text: 'Rang twice.' } };
  await check('addOrderNote', { ...note, ...asAdmin }, 201);
  await check('addOrderNote', { ...note, ...asTom }, 403);
  const productId = order.orderId;
  const basketLine = { params: { id: productId }, ...asTom };
  await check('addToBasket', { ...basketLine, body: { quantity: 1 } }, 200);
  await check('addToBasket', { ...basketLine, body: { quantity: 999_999 } }, 409);
  await check('addToBasket', { ...basketLine, body: { quantity: 0 } }, 422);
  await check('setBasketLine', { params: { id: productId }, body: { quantity: 1 }, ...asTom }, 200);
  await check('setBasketLine', { params: { id: productId }, body: { quantity: 999_999 }, ...asTom }, 409);
  await check('setBasketLine', { params: { id: productId }, body: { quantity: 0 }, ...asTom }, 422);
  await check('getBasket', asTom, 200);
  await check('getBasket', {}, 401);
  await check('removeBasketLine', { params: { id: productId }, ...asTom }, 200);
  await check('removeBasketLine', { params: { id: productId }, ...asTom }, 404);
  const lines = [{ orderId: productId, orderQuantity: 1 }];
  const purchase = contract.placePurchase.response.parse(
    await check('placePurchase', { body: { lines, price: 19.99 }, ...asTom }, 201),
  );
  await check('placePurchase', { body: { lines, price: 1 }, ...asTom }, 409);
  await check('placePurchase', { body: { lines: [], price: 1 }, ...asTom }, 422);
  const tooMany = [{ orderId: productId, orderQuantity: 999_999 }];
  await check('placePurchase', { body: { lines: tooMany, price: 1 }, ...asTom }, 409);
  await check('getPurchase', { params: { id: purchase.insertedId }, ...asTom }, 200);
  await check('getPurchase', { params: { id: 'x' }, ...asTom }, 404);
  const corrected = { params: { id: purchase.insertedId }, ...asTom };
  await check('changeDelivery', { ...corrected, body: { version: 1, address: '1 Mill Lane' } }, 200);
  await check('changeDelivery', { ...corrected, body: { version: 1, address: '2 Mill Lane' } }, 409);
  await check('changeDelivery', { ...corrected, body: { address: '2 Mill Lane' } }, 422);
  const weekdays = { cutOff: '14:00', workingDays: [1] };
  const post = { _id: 'post', name: 'Post', by: 'flat', price: 3 };
  const rates = {
    shipsFrom: 'GB',
    zones: [{ name: 'Home', countries: ['GB'], rates: [post] }],
    ...weekdays,
  };
  await check('saveShipping', { body: { version: 0, ...rates }, ...asTom }, 403);
  await check('saveShipping', { body: { version: 0, ...rates, cutOff: 'noon' }, ...asAdmin }, 422);
  await check('saveShipping', { body: { version: 0, ...rates }, ...asAdmin }, 200);
  await check('saveShipping', { body: { version: 0, ...rates, cutOff: '15:00' }, ...asAdmin }, 409);
  await check('getShipping', {}, 200);
  const quotedLines = [{ orderId: productId, orderQuantity: 1 }];
  await check('quoteLines', { body: { lines: quotedLines, country: 'GB' } }, 200);
  await check('quoteLines', { body: { lines: quotedLines, country: 'XX' } }, 422);
  const quoted = { params: { id: purchase.insertedId }, query: { country: 'GB', rate: 'post' } };
  await check('quotePurchase', { ...quoted, ...asTom }, 200);
  await check('quotePurchase', { ...quoted, params: { id: 'x' }, ...asTom }, 404);
  const chosen = {
    version: 2,
    shipTo: { name: 'Tom', line1: '1 Mill Lane', city: 'York', postcode: 'YO1 7HH', country: 'GB' },
  };
  const checkout = { params: { id: purchase.insertedId }, ...asTom };
  await check('saveCheckout', { ...checkout, body: { ...chosen, rate: 'x', price: 1 } }, 409);
  await check('saveCheckout', { ...checkout, body: { rate: 'post' } }, 422);
  await check('getPurchase', { params: { id: purchase.insertedId }, ...asTom }, 200);
  await check('saveShipping', { body: { version: 1, ...rates, zones: [] }, ...asAdmin }, 200);
  const kept = { name: 'Tom', line1: '1 Mill Lane', city: 'York', postcode: 'YO1 7HH', country: 'GB' };
  const entry = contract.addAddress.response.parse(await check('addAddress', { body: kept, ...asTom }, 201));
  await check('addAddress', { body: { ...kept, line1: '' }, ...asTom }, 422);
  await check('listAddresses', asTom, 200);
  const known = { params: { id: entry.insertedId }, ...asTom };
  await check('changeAddress', { ...known, body: { ...kept, line1: '2 Mill Lane' } }, 200);
  await check('changeAddress', { ...known, params: { id: 'x' }, body: kept }, 404);
  await check('removeAddress', known, 200);
  await check('removeAddress', known, 404);
  await check('orderAgain', { params: { id: purchase.insertedId }, ...asTom }, 200);
  await check('orderAgain', { params: { id: purchase.insertedId }, ...asAdmin }, 404);
  await check('getPrintout', { query: { orders: purchase.insertedId }, ...asTom }, 200);
  await check('getPrintout', { query: { orders: 'x' }, ...asTom }, 404);
  await check('getPrintout', { query: { orders: ',' }, ...asTom }, 422);
  const settlement = { params: { id: 'pi_x' }, body: { version: 1, outcome: 'refunded' } };
  await check('settleLatePayment', { ...settlement, ...asAdmin }, 404);
  await check('settleLatePayment', { ...settlement, ...asTom }, 403);
  await shop.stripe.close();
  const late = await loseStock(shop, tom);
  const found = { params: { id: late.intent.id }, ...asAdmin };
  await check('settleLatePayment', { ...found, body: { version: 2 } }, 422);
  await check('settleLatePayment', { ...found, body: { version: 1, outcome: 'accepted' } }, 409);
  await check('settleLatePayment', { ...found, body: { version: 2, outcome: 'refunded' } }, 200);
  const cookie = { ...cookieHeaders(tom), ...foreign };
  await check('deleteOrder', { params: id, headers: cookie }, 403);
  shop.stripe.fail({ call: 'POST /v1/payment_intents/:id/cancel', times: 3, how: 'unreachable' });
  await check('deleteOrder', { params: id, ...asTom }, 503);
  await check('deleteOrder', { params: id, ...asTom }, 200);
  await check('deleteOrder', { params: id, ...asTom }, 404);
  await check('receiveStripeEvent', { body: {} }, 400);
  await check('uploadImage', { body: form, ...asTom }, 200);
  await check('uploadImage', { body: form }, 401);
  const message = { email: tom.email, message: 'Do you repair fusee chains?' };
  await check('sendContactMessage', { body: message }, 200);
  await check('sendContactMessage', { body: { ...message, email: 'tom' } }, 422);
  await check('subscribe', { body: { email: tom.email } }, 404);
  await check('subscribe', { body: {} }, 422);
  await check('confirmSubscription', { body: { token: 'x' } }, 404);
  await check('listSubscribers', asAdmin, 200);
  await check('listSubscribers', asTom, 403);
  await check('listContactMessages', asAdmin, 200);
  await check('listContactMessages', asTom, 403);
  await check('listContactMessages', { ...asAdmin, query: { answered: 'maybe' } }, 422);
  const [received] = await shop.client(admin).call('listContactMessages', {});
  const marked = { body: { ids: [received?._id ?? ''], answered: true } };
  await check('markContactMessages', { ...marked, ...asAdmin }, 200);
  await check('markContactMessages', { ...marked, ...asTom }, 403);
  await check('markContactMessages', { body: { ids: [], answered: true }, ...asAdmin }, 422);
  const csv = { headers: { ...asAdmin.headers, 'content-type': 'text/csv' } };
  await check('importProducts', { body: `id,price\n${productId},20`, ...csv, query: { dry: '1' } }, 200);
  await check('importProducts', { body: `id,price\n${productId},20`, ...csv }, 200);
  await check('importProducts', { body: `id,price\n${productId},-1`, ...csv }, 422);
  await check('importProducts', { body: '', ...csv }, 400);
  await check('importProducts', { body: {}, ...asAdmin }, 415);
  await check('deleteUser', { params, body: {}, ...asTom }, 422);
  await check('deleteUser', { params, body: { password: tom.password }, ...asAdmin }, 403);
  await check('deleteUser', { params, body: { password: tom.password }, ...asTom }, 200);
  expect([...statusesByCall.keys()].sort()).toEqual(Object.keys(contract).sort());
});
