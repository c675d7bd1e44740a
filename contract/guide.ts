import type { IdentityCallName } from './identity.ts';
import type { CallName } from './paths.ts';

/* The introduction of the OpenAPI document, in Markdown. */

export type Section = { title: string; text: string; example?: string };

export const guide: Section[] = [
  {
    title: 'Start',
    text: `
All calls but that of the image host stand under \`/api\` of the shop's address. They take and answer JSON in UTF-8. An id is a text that sorts by when it was made (UUIDv7), a time is ISO 8601 in UTC. Fields that a call does not know are ignored, and new ones may be added to what it answers.

The examples are for a shop on this machine, with the people and tools of the sandbox.`,
    example: `SHOP=http://localhost:3000
curl "$SHOP/api/products?limit=3"`,
  },
  {
    title: 'Sign in',
    text: `
Sign in with e-mail and password, then call \`PUT /user/{email}\` with the session cookie: the \`token\` in its response (not the one in the sign-in response) is the bearer token. Send it with every call as \`Authorization: Bearer …\`. It lasts 30 days and ends with the session: at sign-out, after a password change, or when the session is ended from another device.

A browser sends the session's cookie by itself. Without an \`Authorization\` header every call that changes something, signing in too, needs \`Origin\` to be the shop's own address: no other site can make somebody's browser do it. A request that has the header is judged by the header alone.

Who may do what is looked up for each request: a new admin is one at once.`,
    example: `curl -s -o /dev/null -c cookies.txt $SHOP/api/auth/sign-in/email \\
  -H "Origin: $SHOP" -H 'Content-Type: application/json' \\
  -d '{"email":"customer@example.com","password":"clockwork"}'
TOKEN=$(curl -s -b cookies.txt -X PUT $SHOP/api/user/customer@example.com \\
  -H "Origin: $SHOP" -H 'Content-Type: application/json' \\
  -d '{"email":"customer@example.com"}' | jq -r .token)
curl "$SHOP/api/orders?user=customer@example.com" -H "Authorization: Bearer $TOKEN"`,
  },
  {
    title: 'Lists',
    text: `
A list answers at most \`limit\` rows, and never more than 1,000 or 1 MB. Where more follows, the header \`Link\` says where (RFC 8288): \`</api/products?limit=3&after=…>; rel="next"\`. Ask for that address, until there is none. A page begins behind the row whose id is \`after\`, so that nothing is missed or seen twice when rows come and go meanwhile.`,
    example: `curl -i "$SHOP/api/products?limit=1"`,
  },
  {
    title: 'Money',
    text: `
A price is a number in whole units of its \`currency\` (ISO 4217), with at most two decimals: \`12.5\` of \`USD\` is 12 dollars and 50 cents. A product's price is that of one piece, an order's is its total. The shop works it out itself: what a client sends is what its customer saw, and where that differs, nothing is stored and the answer is 409 with the price in \`data\`. Multiply in cents, not in floats.`,
  },
  {
    title: 'Send it twice',
    text: `
What makes something new takes the header \`Idempotency-Key\`, 1 to 255 printable characters of your own, such as a UUID for each filled form. Where an answer was lost, send the same again with the same key: the same person gets the first answer, and nothing is made twice. The same key with another body is refused (422).

Every other call can be sent again as it is: at worst it says that it has been done already (404, 409).`,
  },
  {
    title: 'Errors',
    text: `
Who is refused gets \`application/problem+json\` (RFC 9457). \`type\` says which error it is, for a program; \`detail\` says what to do, for a person; \`errors\` names the fields that are wrong; \`data\` has facts to act on. \`requestId\`, which every answer has as \`X-Request-Id\` too, names the request in the shop's log. The calls of identity and the image host have the error shapes of their own protocols.

- 400, 413, 415: it cannot be read, is too large, or is of a type that is not taken.
- 401: sign in. 403: you may not. 404: there is no such thing, or it is somebody else's order.
- 409: not possible now; \`type\` says why.
- 422: readable and wrong; \`errors\` says where.
- 429: too many tries; 503: the shop is busy or something that it needs is away. \`Retry-After\` says in how many seconds to come back.
- 414 and 421, of any address: it is too long, or the shop is not at this host.`,
    example: `{
  "type": "urn:problem:out_of_stock",
  "title": "There is not that much left",
  "status": 409,
  "detail": "Only 2 are left.",
  "requestId": "0f7c1f0e-4a55-4a52-9a6f-5c1d7f6e2b90",
  "data": { "available": 2 }
}`,
  },
  {
    title: 'Keep and ask again',
    text: `
What everybody reads (products, reviews) has an \`ETag\` where it is asked for without cookie and \`Authorization\`. Send it back as \`If-None-Match\`: 304 says that nothing has changed.`,
  },
  {
    title: 'From order to paid',
    text: `
- \`POST /orders\` takes the stock and holds it until \`holdUntil\`.
- \`POST /create-payment-intent\` gives the secret with which the payment provider's own script, in the customer's browser, takes the card. No card number comes to the shop.
- \`PATCH /orders/{id}\` with the payment intent's id says that it was paid. The shop asks the provider and believes nobody else; \`modifiedCount\` is 0 where it knew already. Where that call never comes, the provider tells the shop itself.
- \`GET /orders/{id}\` has \`paid: true\` then, and an admin can ship it.

In the sandbox a program can pay, too: the stand-in takes the call that Stripe's script makes. \`KEY\` is the \`stripePublishableKey\` that stands in the source of a payment page, \`INTENT\` what stands before \`_secret\` in the secret.`,
    example: `curl "$SHOP/sandbox/stripe/v1/payment_intents/$INTENT/confirm" \\
  -d "key=$KEY" -d "client_secret=$SECRET" -d payment_method=pm_card_visa`,
  },
];

/** What the calls are about, in the order in which they are read. */
export const groups = {
  Identity: "Better Auth's own protocol: accounts, passwords, sessions. Errors are `{ message, code }`.",
  People: 'Profiles, and who is an admin.',
  Products: 'What is for sale.',
  Reviews: 'What customers say.',
  Orders: 'What was ordered, and what became of it.',
  Payments: 'Money goes through Stripe; these are the two ends of it.',
  Pictures:
    'Put a picture here first; its address is the `img` of a product or a review. It speaks the protocol of a hosted image service, and stands at the root of the shop, not under `/api`.',
  Shopkeeping: 'What admins look at.',
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
  listSessions: 'Identity',
  revokeSession: 'Identity',
  revokeOtherSessions: 'Identity',
  revokeSessions: 'Identity',
  saveUser: 'People',
  isAdmin: 'People',
  listUsers: 'People',
  makeAdmin: 'People',
  listProducts: 'Products',
  getProduct: 'Products',
  addProduct: 'Products',
  deleteProduct: 'Products',
  listReviews: 'Reviews',
  addReview: 'Reviews',
  hideReview: 'Reviews',
  showReview: 'Reviews',
  listAllOrders: 'Orders',
  listOwnOrders: 'Orders',
  getOrder: 'Orders',
  placeOrder: 'Orders',
  shipOrder: 'Orders',
  markOrderPaid: 'Orders',
  deleteOrder: 'Orders',
  createPaymentIntent: 'Payments',
  listUnknownPayments: 'Payments',
  receiveStripeEvent: 'Payments',
  uploadImage: 'Pictures',
  listAudit: 'Shopkeeping',
  getHealth: 'Shopkeeping',
};
