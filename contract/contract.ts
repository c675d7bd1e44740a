import { accountDataCalls } from './accounts/account-data.ts';
import { contactCalls } from './accounts/contact.ts';
import { userCalls } from './accounts/users.ts';
import { auditCalls } from './admin/audit.ts';
import { contactMessageCalls } from './admin/contact-messages.ts';
import { healthCalls } from './admin/health.ts';
import { overviewCalls } from './admin/overview.ts';
import { shopDetailsCalls } from './admin/shop-details.ts';
import type { Call } from './call.ts';
import { imageCalls } from './catalogue/images.ts';
import { productEditCalls } from './catalogue/product-edit.ts';
import { productImportCalls } from './catalogue/product-import.ts';
import { productListCalls } from './catalogue/product-list.ts';
import { productPageCalls } from './catalogue/product-page.ts';
import { productCalls } from './catalogue/products.ts';
import { reviewCalls } from './catalogue/reviews.ts';
import { stockCalls } from './catalogue/stock.ts';
import { addressBookCalls } from './delivery/address-book.ts';
import { checkoutCalls } from './delivery/checkout.ts';
import { shippingRateCalls } from './delivery/shipping-rates.ts';
import { orderListCalls } from './orders/order-list.ts';
import { orderCalls } from './orders/orders.ts';
import { paymentCalls } from './orders/payments.ts';
import { printingCalls } from './orders/printing.ts';
import { purchaseCalls } from './orders/purchases.ts';
import { refundCalls } from './orders/refunds.ts';
import { shipmentCalls } from './orders/shipments.ts';
import { shippingCalls } from './orders/shipping.ts';
import { unknownPaymentCalls } from './orders/unknown-payments.ts';
import type { CallName } from './paths.ts';

/**
 * Every call of the shop's API except sign-in's (`identity/identity.ts`). Routing, the browser client, the tests and, with
 * the sign-in calls, the OpenAPI document are derived from it.
 */
export const contract = {
  ...userCalls,
  ...accountDataCalls,
  ...productCalls,
  ...productEditCalls,
  ...productPageCalls,
  ...productListCalls,
  ...stockCalls,
  ...productImportCalls,
  ...reviewCalls,
  ...orderListCalls,
  ...orderCalls,
  ...shippingCalls,
  ...shipmentCalls,
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
  ...contactMessageCalls,
  ...addressBookCalls,
  ...checkoutCalls,
  ...shippingRateCalls,
} as const satisfies Record<CallName, Call>;

export type Contract = typeof contract;
