import { z } from 'zod';
import { auditEntry } from '../admin/audit.ts';
import type { Call } from '../call.ts';
import { review } from '../catalogue/reviews.ts';
import { postalAddress } from '../delivery/addresses.ts';
import { deletedCount, email, time } from '../fields.ts';
import { order } from '../orders/orders.ts';
import { purchase } from '../orders/purchases.ts';
import { automaticRefund, dispute } from '../orders/refunds.ts';
import { parcel } from '../orders/shipping.ts';
import { paths } from '../paths.ts';
import { user } from './users.ts';

const payment = z.object({
  intent: z.string().optional().describe("The payment's id at the provider."),
  amount: z.number(),
  currency: z.string(),
  state: z.string(),
  createdAt: time,
});

const action = auditEntry
  .omit({ actor: true, actorId: true, number: true })
  .extend({ target: z.string().describe("The target's id.") });

/** Everything that the shop stores about a user, except secrets such as the hash of their password. */
export const accountData = z.object({
  exportedAt: time,
  user: user.omit({ signsInWith: true }).extend({
    emailVerified: z.boolean(),
    twoFactor: z.boolean().describe('Two-factor sign-in is on.'),
    image: z.string().optional(),
    updatedAt: time,
  }),
  otherAddresses: z
    .array(
      z.object({
        email: z.string(),
        kind: z
          .enum(['requested', 'former'])
          .describe('`former`: a link sent to this address can undo the change of address.'),
        expiresAt: time,
      }),
    )
    .describe('Requested new addresses and former addresses of the account.'),
  signInMethods: z.array(
    z.object({
      method: z.string().describe('`password` or `google`.'),
      accountId: z.string().optional().describe("The user's id at Google."),
      createdAt: time,
      updatedAt: time,
    }),
  ),
  passkeys: z.array(
    z.object({
      name: z.string(),
      model: z.string().describe('The AAGUID: the model of the device or password manager.'),
      createdAt: time,
      synced: z.boolean().describe("Copied to the user's other devices."),
    }),
  ),
  sessions: z.array(
    z.object({
      createdAt: time,
      updatedAt: time,
      expiresAt: time,
      ipAddress: z.string(),
      userAgent: z.string(),
      secondFactor: z.boolean().describe('The session has passed a second factor.'),
    }),
  ),
  basket: z.array(z.object({ orderId: z.string(), product: z.string(), quantity: z.int(), addedAt: time })),
  addresses: z.array(postalAddress).describe('The address book.'),
  backInStock: z
    .array(z.object({ product: z.string(), name: z.string().optional(), requestedAt: time }))
    .describe('Products that the user waits for. `name` is absent once the product is deleted.'),
  orders: z
    .array(
      order.extend({
        charges: purchase.shape.charges,
        rate: purchase.shape.rate,
        pickup: purchase.shape.pickup,
        arrives: purchase.shape.arrives,
        shipments: z.array(
          parcel.extend({ name: z.string(), address: z.string().describe('As printed on the label.') }),
        ),
        payments: z.array(payment).describe("Attempts to pay for the order's purchase."),
        automaticRefunds: z
          .array(automaticRefund)
          .describe('Refunds of payments that did not count towards the purchase, oldest first.'),
        disputes: z.array(dispute).describe("Disputes of the purchase's payment."),
      }),
    )
    .describe('Newest first.'),
  reviews: z.array(review).describe('Newest first.'),
  reports: z
    .array(z.object({ review: z.string(), reason: z.string(), createdAt: time }))
    .describe("The user's reports of reviews that no admin has dealt with yet."),
  images: z.array(z.object({ url: z.string(), type: z.string(), width: z.int(), uploadedAt: time })),
  messages: z
    .array(
      z.object({
        kind: z.string(),
        about: z.string().describe('What the message reports, such as the id of a purchase or a refund.'),
        recipient: z.string(),
        state: z.string(),
        createdAt: time,
        sentAt: time.optional(),
        attempts: z
          .array(z.object({ at: time, response: z.string() }))
          .describe("The mail server's response to each attempt to send the message."),
      }),
    )
    .describe('Messages of the last 30 days.'),
  contactMessages: z.array(z.object({ text: z.string(), createdAt: time })),
  newsletter: z.object({ confirmedAt: time }).optional().describe('Absent without a subscription.'),
  products: z
    .array(z.object({ _id: z.string(), name: z.string(), createdAt: time }))
    .describe('Products that the user added as an admin.'),
  actions: z
    .array(action)
    .describe(
      "The user's own actions as an admin. For a user without admin rights, `target`, `name` and `details` are empty.",
    ),
  actionsByAdmins: z
    .array(action)
    .describe("Admins' actions on the user's account, without the names of the admins."),
});
export type AccountData = z.output<typeof accountData>;

export const deletion = z.object({
  password: z
    .string('Password must be text')
    .max(1000, 'Password must be 1000 characters or shorter')
    .optional()
    .describe('Required if the account has one; otherwise the sign-in must be at most ten minutes old.'),
});

export const accountDataCalls = {
  exportUser: {
    ...paths.exportUser,
    summary: 'Download everything that the shop stores about a user, as one JSON file',
    access: 'self',
    params: z.object({ email }),
    response: accountData,
    errors: [429],
  },
  deleteUser: {
    ...paths.deleteUser,
    summary: "Delete the user's account permanently, unless a payment for an order has been started",
    access: 'self',
    params: z.object({ email }),
    body: deletion,
    response: deletedCount,
    errors: [429],
    conflicts: ['open_payment', 'last_admin'],
  },
} as const satisfies Record<string, Call>;
