import { accountDataCalls } from './account-data.ts';
import { auditCalls } from './audit.ts';
import type { Call } from './call.ts';
import { contactCalls } from './contact.ts';
import { healthCalls } from './health.ts';
import { imageCalls } from './images.ts';
import { orderCalls } from './orders.ts';
import { overviewCalls } from './overview.ts';
import type { CallName } from './paths.ts';
import { paymentCalls } from './payments.ts';
import { printingCalls } from './printing.ts';
import { productImportCalls } from './product-import.ts';
import { productCalls } from './products.ts';
import { purchaseCalls } from './purchases.ts';
import { refundCalls } from './refunds.ts';
import { reviewCalls } from './reviews.ts';
import { shippingCalls } from './shipping.ts';
import { shopDetailsCalls } from './shop-details.ts';
import { stockCalls } from './stock.ts';
import { unknownPaymentCalls } from './unknown-payments.ts';
import { userCalls } from './users.ts';

/** Every call of the shop's API. Routing, the browser client, the tests and the OpenAPI document are derived from it. */
export const contract = {
  ...userCalls,
  ...accountDataCalls,
  ...productCalls,
  ...stockCalls,
  ...productImportCalls,
  ...reviewCalls,
  ...orderCalls,
  ...shippingCalls,
  ...purchaseCalls,
  ...paymentCalls,
  ...refundCalls,
  ...unknownPaymentCalls,
  ...imageCalls,
  ...printingCalls,
  ...shopDetailsCalls,
  ...auditCalls,
  ...healthCalls,
  ...overviewCalls,
  ...contactCalls,
} as const satisfies Record<CallName, Call>;

export type Contract = typeof contract;
