import type { IdentityCallName } from '../identity/identity.ts';
import type { CallName } from '../paths.ts';

/* The introduction of the OpenAPI document, in Markdown. */

type GuideSection = { title: string; text: string; example?: string };

export const guide: GuideSection[] = [
  {
    title: 'Start',
    text: `
All calls are under \`/api\`, except the image host's. Requests and responses are JSON in UTF-8. Ids are UUIDv7, which sort by creation time; times are ISO 8601 in UTC. Unknown fields in a request are ignored, and responses may gain fields.

The examples assume a sandbox shop on this machine.`,
    example: `SHOP=http://localhost:3000
curl "$SHOP/api/products?limit=3"`,
  },
  {
    title: 'Sign in',
    text: `
Sign in with email address and password, then call \`PUT /user/{email}\` with the session cookie: the \`token\` in its response (not the one in the sign-in response) is the bearer token. Send it with every call as \`Authorization: Bearer …\`. It lasts 30 days and ends with the session: at sign-out, after a password change, or when the session is ended from another device.

Browsers send the session cookie by themselves. Without an \`Authorization\` header, every state-changing call, including sign-in, requires the \`Origin\` header to be the shop's own origin, which protects against cross-site request forgery. With an \`Authorization\` header, the cookie is ignored.

Roles are read on every request: a promotion or demotion takes effect immediately.`,
    example: `curl -s -o /dev/null -c cookies.txt $SHOP/api/auth/sign-in/email \\
  -H "Origin: $SHOP" -H 'Content-Type: application/json' \\
  -d '{"email":"customer@example.com","password":"clockwork"}'
TOKEN=$(curl -s -b cookies.txt -X PUT $SHOP/api/user/customer@example.com \\
  -H "Origin: $SHOP" -H 'Content-Type: application/json' \\
  -d '{"email":"customer@example.com"}' | jq -r .token)
curl "$SHOP/api/orders?user=customer@example.com" -H "Authorization: Bearer $TOKEN"`,
  },
  {
    title: 'Pagination',
    text: `
A list returns at most \`limit\` rows, and never more than 1,000 rows or 1 MB. If there are more, the \`Link\` header (RFC 8288) contains the URL of the next page: \`</api/products?limit=3&after=…>; rel="next"\`. A page starts after the row with the id \`after\`, so rows that are added or deleted in the meantime cause neither gaps nor duplicates.`,
    example: `curl -i "$SHOP/api/products?limit=1"`,
  },
  {
    title: 'Money',
    text: `
A price is a number in units of its \`currency\` (ISO 4217) with at most two decimals: \`12.5\` in \`USD\` is 12 dollars and 50 cents. A product's price is its unit price; an order's price is its total. The shop computes the total itself. If the total that the client sends differs, nothing is stored and the response is 409 with the current price in \`data\`. Multiply in cents, not in floats.`,
  },
  {
    title: 'Idempotency',
    text: `
Calls that create something accept an \`Idempotency-Key\` header: 1 to 255 printable characters, such as a UUID for each filled-in form. If the response is lost, repeat the request with the same key: the same user gets the first response, and nothing is created twice. The same key with a different body is rejected (422).

Every other call can be repeated safely: at worst, it reports that it was already done (404, 409).`,
  },
  {
    title: 'Errors',
    text: `
Error responses are \`application/problem+json\` (RFC 9457). \`type\` is the error code, for programs; \`detail\` says what to do, for people; \`errors\` lists the invalid fields; \`data\` contains values to act on. \`requestId\`, also sent as \`X-Request-Id\` with every response, identifies the request in the shop's log. The identity calls and the image host use their own protocols' error formats.

- 400, 413, 415: the body cannot be parsed, is too large, or has an unsupported type.
- 401: sign in first. 403: not allowed. 404: not found, or someone else's order or review.
- 409: not possible in the current state; see \`type\`.
- 412: the signed-in user is not the one whose id is in the optional header \`Expected-User\`.
- 422: invalid input; see \`errors\`.
- 429: rate limit exceeded; 503: overloaded, or a service that the shop depends on is unavailable. \`Retry-After\` gives the seconds to wait.
- 414, 421: the URL is too long, or the shop does not serve this host.`,
    example: `{
  "type": "urn:problem:out_of_stock",
  "title": "Not enough stock",
  "status": 409,
  "detail": "Only 2 left: order fewer.",
  "requestId": "0f7c1f0e-4a55-4a52-9a6f-5c1d7f6e2b90",
  "data": { "available": 2 }
}`,
  },
  {
    title: 'Conditional requests',
    text: `
Public responses (products, reviews) to requests without a cookie or \`Authorization\` header have an \`ETag\`. Send it back as \`If-None-Match\` to get a 304 if nothing has changed. \`GET /overview\` has one too, so that a page can poll it every few seconds.`,
  },
  {
    title: 'From order to payment',
    text: `
- \`POST /orders\` takes the stock and holds it until \`holdUntil\`.
- \`POST /create-payment-intent\` returns the client secret with which the payment provider's script takes the card in the customer's browser. Card numbers never reach the shop.
- \`PATCH /orders/{id}\` with the payment intent's id reports the payment. The shop verifies it with the provider; \`modifiedCount\` is 0 if the order was already paid. If this call never arrives, the provider's webhook has the same effect.
- \`GET /orders/{id}\` then returns \`paid: true\`, and an admin can ship the order. \`trackingUrl\` then links to the carrier's page if the shop knows the carrier.

An order and its purchase share a \`version\`. It counts the changes of status, of what is shipped, returned or refunded, of the address, and of disputes. A call that takes a \`version\` changes nothing if another one is current (409 \`purchase_changed\`): read the purchase again, and decide again. Every change, and every 402 and 409, reports the current \`version\`. A parcel can be for several purchases, so calls about a parcel report \`versions\`, an object with the version of each purchase by its id.

In the sandbox a program can pay, too: the stand-in accepts the call that Stripe's script makes. \`KEY\` is the \`stripePublishableKey\` in the source of a payment page; \`INTENT\` is the part of the secret before \`_secret\`.`,
    example: `curl "$SHOP/sandbox/stripe/v1/payment_intents/$INTENT/confirm" \\
  -d "key=$KEY" -d "client_secret=$SECRET" -d payment_method=pm_card_visa`,
  },
];

/** The groups of calls, in reading order. */
export const groups = {
  Identity: "Better Auth's protocol: accounts, passwords and sessions. Errors are `{ message, code }`.",
  Users: 'Profiles and admins.',
  Products: 'The catalogue and its stock.',
  Reviews: 'Customer reviews.',
  Orders: 'Placing, listing, shipping and deleting orders.',
  Delivery: 'Where and how orders are sent, and what that costs, once an admin has set up delivery.',
  Payments: 'Payments are made through Stripe; these calls start and confirm them.',
  Images:
    'Upload an image first, then use its URL as the `img` of a product or review. The call speaks the protocol of a hosted image service and is at the root, not under `/api`.',
  Contact: 'Messages to the shopkeeper, and the newsletter. Offered only if the shopkeeper has set them up.',
  Administration: 'For admins.',
} as const;
export type Group = keyof typeof groups;

export const groupOf: Record<CallName | IdentityCallName, Group> = {
  signUp: 'Identity',
  signIn: 'Identity',
  signInWithGoogle: 'Identity',
  linkGoogle: 'Identity',
  readSession: 'Identity',
  signOut: 'Identity',
  changePassword: 'Identity',
  requestPasswordReset: 'Identity',
  resetPassword: 'Identity',
  sendConfirmation: 'Identity',
  confirmAddress: 'Identity',
  requestEmailChange: 'Identity',
  confirmEmailChange: 'Identity',
  enableTwoFactor: 'Identity',
  disableTwoFactor: 'Identity',
  renewRecoveryCodes: 'Identity',
  verifyCode: 'Identity',
  verifyRecoveryCode: 'Identity',
  startAddingPasskey: 'Identity',
  addPasskey: 'Identity',
  startPasskeySignIn: 'Identity',
  signInWithPasskey: 'Identity',
  listPasskeys: 'Identity',
  removePasskey: 'Identity',
  listSessions: 'Identity',
  revokeSession: 'Identity',
  revokeOtherSessions: 'Identity',
  revokeSessions: 'Identity',
  saveUser: 'Users',
  isAdmin: 'Users',
  listUsers: 'Users',
  makeAdmin: 'Users',
  removeAdmin: 'Users',
  signOutUser: 'Users',
  exportUser: 'Users',
  deleteUser: 'Users',
  listProducts: 'Products',
  getProductFilters: 'Products',
  listCategories: 'Products',
  getProduct: 'Products',
  listRelatedProducts: 'Products',
  requestBackInStock: 'Products',
  cancelBackInStock: 'Products',
  addProduct: 'Products',
  editProduct: 'Products',
  importProducts: 'Products',
  deleteProduct: 'Products',
  adjustStock: 'Products',
  listProductStock: 'Products',
  listStock: 'Products',
  listReviews: 'Reviews',
  listProductReviews: 'Reviews',
  addReview: 'Reviews',
  listReviewableProducts: 'Reviews',
  editReview: 'Reviews',
  deleteReview: 'Reviews',
  hideReview: 'Reviews',
  showReview: 'Reviews',
  approveReview: 'Reviews',
  answerReview: 'Reviews',
  reportReview: 'Reviews',
  getReportedCount: 'Reviews',
  dismissReports: 'Reviews',
  listAllOrders: 'Orders',
  sumOrders: 'Orders',
  listOwnOrders: 'Orders',
  getOrder: 'Orders',
  placeOrder: 'Orders',
  shipOrder: 'Orders',
  shipParcel: 'Orders',
  undoShipment: 'Orders',
  refundOrder: 'Orders',
  refundPurchase: 'Orders',
  settleRefund: 'Orders',
  recordReturn: 'Orders',
  assignRefund: 'Orders',
  addOrderNote: 'Orders',
  getBasket: 'Orders',
  addToBasket: 'Orders',
  setBasketLine: 'Orders',
  removeBasketLine: 'Orders',
  placePurchase: 'Orders',
  getPurchase: 'Orders',
  changeDelivery: 'Orders',
  orderAgain: 'Orders',
  markOrderPaid: 'Orders',
  deleteOrder: 'Orders',
  quoteLines: 'Delivery',
  quotePurchase: 'Delivery',
  saveCheckout: 'Delivery',
  listAddresses: 'Delivery',
  addAddress: 'Delivery',
  changeAddress: 'Delivery',
  removeAddress: 'Delivery',
  getShipping: 'Delivery',
  saveShipping: 'Delivery',
  createPaymentIntent: 'Payments',
  getRestoredBackup: 'Payments',
  listUnknownPayments: 'Payments',
  settleUnknownPayment: 'Payments',
  settleLatePayment: 'Payments',
  receiveStripeEvent: 'Payments',
  uploadImage: 'Images',
  getPrintout: 'Orders',
  getShopDetails: 'Administration',
  saveShopDetails: 'Administration',
  listAudit: 'Administration',
  getHealth: 'Administration',
  retryMail: 'Administration',
  getOverview: 'Administration',
  sendContactMessage: 'Contact',
  subscribe: 'Contact',
  confirmSubscription: 'Contact',
  listSubscribers: 'Contact',
  listContactMessages: 'Contact',
  markContactMessages: 'Contact',
};
