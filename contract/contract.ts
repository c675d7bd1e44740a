import { auditCalls } from './audit.ts';
import type { Call } from './call.ts';
import { healthCalls } from './health.ts';
import { imageCalls } from './images.ts';
import { orderCalls } from './orders.ts';
import type { CallName } from './paths.ts';
import { paymentCalls } from './payments.ts';
import { productCalls } from './products.ts';
import { purchaseCalls } from './purchases.ts';
import { reviewCalls } from './reviews.ts';
import { userCalls } from './users.ts';

/** Every call of the shop's API. Routing, the browser client, the tests and the OpenAPI document are derived from it. */
export const contract = {
  ...userCalls,
  ...productCalls,
  ...reviewCalls,
  ...orderCalls,
  ...purchaseCalls,
  ...paymentCalls,
  ...imageCalls,
  ...auditCalls,
  ...healthCalls,
} as const satisfies Record<CallName, Call>;

export type Contract = typeof contract;
