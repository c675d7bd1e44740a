import type { z } from 'zod';
import type { Call } from '../call.ts';
import {
  mapFields,
  type NumberField,
  type ProductField,
  productFields,
  publicFields,
  requiredFields,
} from '../catalogue/product-fields.ts';
import type { Contract } from '../contract.ts';
import type { identityCalls } from '../identity/identity.ts';

type Calls = Contract & typeof identityCalls;
type Part<C extends Call, Name extends 'params' | 'query' | 'body'> = C[Name] extends z.ZodType
  ? Name extends 'query'
    ? { query?: { [Field in keyof z.output<C[Name]>]?: string } }
    : Record<Name, z.input<C[Name]>>
  : unknown;
type Example<C extends Call> = Part<C, 'params'> &
  Part<C, 'query'> &
  Part<C, 'body'> & { response: z.input<C['response']> };

const productId = '01a1fe3b-6c08-7d36-9c55-8f4f0f2f9f10';
const orderId = '01a1fe52-9e4d-7b7e-a1d4-3f5a1c9b7e21';
const purchaseId = '01a1fe52-9e4d-7b7e-a1d4-3f5a1c9b7e20';
const shipmentId = '01a1fe60-15d0-7a51-8a3e-7c1b5a0d4f42';
const number = 'K7QD-2M4X';
const email = 'customer@example.com';
const img = '/images/4d0c7f6f3a1be0a7c6f1d2c5a8b9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091-960.webp';
const sideView = '/images/9a1e5b0c7d2f4e6a8b3c1d5f7e9a0b2c4d6f8e1a3b5c7d9f0e2a4c6b8d0f1e3a-960.webp';
const intent = 'pi_3QkzH2LkdIwHu7ix0abcDEFG';

type Examples<Name extends ProductField> = { [One in Name]: One extends NumberField ? number : string };
const examplesOf = <Name extends ProductField>(names: readonly Name[]) =>
  mapFields(names, (name) => productFields[name].example) as Examples<Name>;

const { facts, ...listedFields } = examplesOf(publicFields);
const product = {
  _id: productId,
  ...listedFields,
  currency: 'USD',
  img,
  images: [img, sideView],
  a_quantity: 24,
  version: 3,
  archived: false,
  rating: { average: 4.67, count: 3 },
  createdAt: '2026-11-02T09:30:00.000Z',
};
const review = {
  _id: '01a1fe60-15d0-7a51-8a3e-7c1b5a0d4f32',
  name: 'Tom Graham',
  rating: 5,
  reviews: 'Pulls straight, and leaves no mark.',
  img,
  createdAt: '2026-11-12T16:05:00.000Z',
  product: productId,
  productName: product.name,
  verified: true as const,
};
const order = {
  _id: orderId,
  purchase: purchaseId,
  number,
  orderId: productId,
  product: product.name,
  orderQuantity: 2,
  price: 77,
  currency: 'USD',
  user: email,
  userName: 'Tom Graham',
  phone: '024 7655 0148',
  address: '12 Escapement Row, Coventry CV1 5FB',
  orderStatus: '' as const,
  paid: false,
  createdAt: '2026-11-21T10:09:00.000Z',
  holdUntil: '2026-11-24T10:09:00.000Z',
  refunded: 0,
  version: 1,
  disputed: false,
};
const basket = { lines: [{ product, quantity: 2 }], price: 77, currency: 'USD' };
const user = {
  _id: '01a1fe2e-0d0a-7c3c-b6f0-2b0f6f6d5c10',
  email,
  emailVerified: false,
  name: 'Tom Graham',
  address: order.address,
  phone: order.phone,
  education: 'British Horological Institute',
  linkedIn: 'https://www.linkedin.com/in/tom-graham',
  createdAt: '2026-10-30T08:00:00.000Z',
  signsInWith: ['password'],
};
const { signsInWith: _, ...storedUser } = user;
const passkey = {
  id: '01a1fe31-7a10-7d2e-9c41-0d5e8f7a6b21',
  name: 'Phone',
  createdAt: '2026-11-02T19:30:00.000Z',
  aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
};
const credential = { id: 'q1zXb0W2', rawId: 'q1zXb0W2', type: 'public-key' as const };
const accountData = {
  exportedAt: '2026-11-23T09:00:00.000Z',
  user: { ...storedUser, twoFactor: false, updatedAt: user.createdAt },
  otherAddresses: [{ email: 'tom@old.example', kind: 'former' as const, expiresAt: user.createdAt }],
  signInMethods: [{ method: 'password', createdAt: user.createdAt, updatedAt: user.createdAt }],
  passkeys: [{ name: passkey.name, model: passkey.aaguid, createdAt: passkey.createdAt, synced: true }],
  sessions: [
    {
      createdAt: '2026-11-21T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:00.000Z',
      expiresAt: '2026-12-21T10:00:00.000Z',
      ipAddress: '192.0.2.7',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0',
      secondFactor: false,
    },
  ],
  basket: [{ orderId: productId, product: product.name, quantity: 1, addedAt: '2026-11-22T18:00:00.000Z' }],
  addresses: [],
  backInStock: [{ product: productId, name: product.name, requestedAt: '2026-11-22T18:05:00.000Z' }],
  orders: [{ ...order, shipments: [], refunds: [], payments: [], automaticRefunds: [], disputes: [] }],
  reviews: [{ ...review, email }],
  reports: [],
  images: [{ url: img, type: 'image/webp', width: 960, uploadedAt: review.createdAt }],
  messages: [
    {
      kind: 'order placed',
      about: purchaseId,
      recipient: email,
      state: 'sent',
      createdAt: order.createdAt,
      sentAt: '2026-11-21T10:09:02.000Z',
      attempts: [{ at: '2026-11-21T10:09:02.000Z', response: '250 2.0.0 Ok' }],
    },
  ],
  contactMessages: [],
  products: [],
  actions: [],
  actionsByAdmins: [],
};
const seller = {
  name: 'Escapement Supplies Ltd',
  address: '12 Escapement Row\nCoventry CV1 5FB',
  taxId: 'VAT GB 123 4567 89',
};
const shopDetails = {
  ...seller,
  delivery: 'Sent within two working days by tracked post',
  deliveryShown: true,
  returns: 'Send it back within 30 days',
  returnsShown: true,
  returnDays: 30,
  guarantee: '',
  guaranteeShown: false,
  synonyms: 'magnifier = loupe',
};
const stockChange = {
  _id: '01a1fe90-5c2d-7b3e-8f40-6b7c8d9e0f1a',
  product: productId,
  name: product.name,
  change: 25,
  level: 65,
  reason: 'delivery' as const,
  note: 'Delivery note 4711',
  who: 'admin@example.com',
  createdAt: '2026-11-21T11:30:00.000Z',
};
const person = { id: user._id, name: user.name, email };
const session = {
  id: '01a1fe70-2a6b-7f0e-8f0d-1a2b3c4d5e6f',
  token: 'wwykY0yeJzlBlUSF1elMqPkL1z7VZQMW',
  createdAt: '2026-11-21T10:00:00.000Z',
  expiresAt: '2026-12-21T10:00:00.000Z',
};
const google = {
  body: { provider: 'google' as const, callbackURL: '/products', errorCallbackURL: '/login' },
  response: { url: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=…' },
};

const addressId = '01a1fe71-77aa-7d02-8f3b-6c7d8e9f0a1b';
const rateId = '01a1fe70-2b1c-7c44-9d1e-5a6b7c8d9e0f';
const shipping = {
  shipsFrom: 'GB',
  zones: [
    {
      name: 'Great Britain',
      countries: ['GB'],
      rates: [
        {
          _id: rateId,
          name: 'Tracked 48',
          by: 'flat' as const,
          price: 4.5,
          freeFrom: 100,
          days: [2, 3] as [number, number],
        },
      ],
    },
  ],
  cutOff: '14:00',
  workingDays: [1, 2, 3, 4, 5],
  holidays: 'GB-ENG',
  closed: [{ from: '2026-12-28', to: '2027-01-01' }],
  currency: 'USD',
};
const shipTo = {
  name: 'Tom Graham',
  company: '',
  line1: '12 Escapement Row',
  line2: '',
  postcode: 'CV1 5FB',
  city: 'Coventry',
  region: '',
  country: 'GB',
  phone: '024 7655 0148',
};
const quote = {
  goods: order.price,
  charges: [{ kind: 'delivery' as const, label: 'Tracked 48', amount: 4.5 }],
  price: order.price + 4.5,
  currency: 'USD',
  rates: [{ _id: rateId, name: 'Tracked 48', price: 4.5, from: '2026-11-24', to: '2026-11-25' }],
  problems: [],
};

/** An example request and response of every call. */
export const examples: { [Name in keyof Calls]: Example<Calls[Name]> } = {
  signUp: { body: { name: user.name, email, password: 'verge-and-foliot' }, response: { user: person } },
  signIn: { body: { email, password: 'clockwork' }, response: { user: person } },
  signInWithGoogle: google,
  linkGoogle: google,
  readSession: { response: { session, user: person } },
  signOut: { response: { success: true } },
  changePassword: {
    body: { currentPassword: 'clockwork', newPassword: 'verge-and-foliot' },
    response: { user: person },
  },
  requestPasswordReset: { body: { email }, response: { status: true } },
  resetPassword: {
    body: { token: 'Yx3vQ0mZr8J5c1uKfT7bWnHsLgPaEdRi2oB6tXyVkMw', newPassword: 'verge-and-foliot' },
    response: { status: true },
  },
  sendConfirmation: { response: { status: true } },
  confirmAddress: {
    body: { token: 'Yx3vQ0mZr8J5c1uKfT7bWnHsLgPaEdRi2oB6tXyVkMw' },
    response: { status: true },
  },
  requestEmailChange: {
    body: { newEmail: 'tom@new.example', password: 'clockwork' },
    response: { status: true },
  },
  confirmEmailChange: {
    body: { token: 'Yx3vQ0mZr8J5c1uKfT7bWnHsLgPaEdRi2oB6tXyVkMw' },
    response: { status: true },
  },
  enableTwoFactor: {
    body: { password: 'clockwork' },
    response: {
      totpURI:
        'otpauth://totp/Hand-Tools%20Shop:tom@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Hand-Tools%20Shop',
      qrCode: { path: 'M0 0L7 0L7 7L0 7Z', size: 41 },
      backupCodes: ['k7w2m-9hxqe'],
    },
  },
  disableTwoFactor: { body: { password: 'clockwork' }, response: { status: true } },
  renewRecoveryCodes: {
    body: { password: 'clockwork' },
    response: { status: true, backupCodes: ['k7w2m-9hxqe'] },
  },
  verifyCode: { body: { code: '492039', trustDevice: true }, response: { user: person } },
  verifyRecoveryCode: { body: { code: 'k7w2m-9hxqe' }, response: { user: person } },
  startAddingPasskey: {
    body: { password: 'clockwork' },
    response: { challenge: 'cY0TwLn0Xq3E', rp: { name: 'Hand-Tools Shop', id: 'shop.example' } },
  },
  addPasskey: {
    body: {
      name: 'Phone',
      response: {
        ...credential,
        response: {
          clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
          attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViU',
        },
      },
    },
    response: passkey,
  },
  startPasskeySignIn: {
    response: { challenge: 'cY0TwLn0Xq3E', rpId: 'shop.example', userVerification: 'required' },
  },
  signInWithPasskey: {
    body: {
      response: {
        ...credential,
        response: {
          clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
          authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4',
          signature: 'MEUCIQDd0',
        },
      },
    },
    response: { session, user: person },
  },
  listPasskeys: { response: [passkey] },
  removePasskey: { body: { id: passkey.id, password: 'verge-and-foliot' }, response: { status: true } },
  listSessions: { response: [session] },
  revokeSession: { body: { token: session.token }, response: { status: true } },
  revokeOtherSessions: { response: { status: true } },
  revokeSessions: { response: { status: true } },
  saveUser: {
    params: { email },
    body: {
      address: user.address,
      phone: user.phone,
      education: user.education,
      linkedIn: user.linkedIn,
    },
    response: { token: `${session.token}.XCz3kDq6MltKjMNMGjhzdz3A+Ju/qLTZfla4NdfDlD0=`, modifiedCount: 1 },
  },
  isAdmin: { params: { email }, response: { admin: false } },
  listUsers: { query: { limit: '50' }, response: [user] },
  makeAdmin: { params: { email }, response: { modifiedCount: 1 } },
  removeAdmin: { params: { email }, response: { modifiedCount: 1 } },
  signOutUser: { params: { email }, response: { deletedCount: 2 } },
  exportUser: { params: { email }, response: accountData },
  deleteUser: { params: { email }, body: { password: 'clockwork' }, response: { deletedCount: 1 } },
  listCategories: { response: { categories: ['Dials and hands', 'Measuring'] } },
  listProducts: { query: { limit: '3' }, response: [product] },
  getProductFilters: {
    query: { q: 'winder', inStock: 'true' },
    response: { matches: 2, categories: [{ category: 'Winding', count: 2 }], words: [] },
  },
  getProduct: { params: { id: productId }, response: { ...product, facts } },
  requestBackInStock: { params: { id: productId }, response: { modifiedCount: 1 } },
  cancelBackInStock: { params: { id: productId }, response: { deletedCount: 1 } },
  listRelatedProducts: { params: { id: orderId }, response: { boughtTogether: [], related: [product] } },
  addProduct: {
    body: {
      ...examplesOf(requiredFields),
      email: 'admin@example.com',
      a_quantity: product.a_quantity,
      img,
    },
    response: { insertedId: productId },
  },
  editProduct: {
    params: { id: productId },
    body: { version: 3, price: 39.5, lowStock: 5, images: [sideView, img] },
    response: { modifiedCount: 1, version: 4 },
  },
  importProducts: {
    query: { dry: '1' },
    response: {
      create: 0,
      update: 1,
      changed: { price: 1 },
      largePriceChanges: 0,
      unchanged: 0,
      unmatched: 0,
      incomplete: [],
      delivered: 12,
      errors: [],
      errorCount: 0,
      notes: [],
      noteCount: 0,
      earlier: { at: '2026-11-21T10:09:26.000Z', by: 'ada@example.com' },
      rows: [
        {
          row: 2,
          action: 'update',
          name: product.name,
          changes: [
            { field: 'price', before: '38.5', after: '39.5' },
            { field: 'delivery', before: '40', after: '52' },
          ],
        },
      ],
    },
  },
  deleteProduct: { params: { id: productId }, response: { deletedCount: 1 } },
  adjustStock: {
    params: { id: productId },
    body: { change: 25, reason: 'delivery', note: 'Delivery note 4711' },
    response: { insertedId: stockChange._id, a_quantity: stockChange.level },
  },
  listProductStock: { params: { id: productId }, query: { limit: '50' }, response: [stockChange] },
  listStock: { query: { reason: 'delivery' }, response: [stockChange] },
  listReviews: { query: { limit: '12' }, response: [review] },
  listProductReviews: {
    params: { id: productId },
    query: { sort: 'best', limit: '12' },
    response: [review],
  },
  listReviewableProducts: { response: [{ _id: productId, name: product.name }] },
  editReview: {
    params: { id: review._id },
    body: { rating: 4 },
    response: { modifiedCount: 1 },
  },
  deleteReview: { params: { id: review._id }, response: { deletedCount: 1 } },
  addReview: {
    body: { product: productId, rating: review.rating, reviews: review.reviews, img },
    response: { insertedId: review._id },
  },
  hideReview: {
    params: { id: review._id },
    body: { version: 1, reason: 'It advertises another shop.' },
    response: { modifiedCount: 1, version: 2 },
  },
  showReview: {
    params: { id: review._id },
    query: { version: '2' },
    response: { modifiedCount: 1, version: 3 },
  },
  reportReview: {
    params: { id: review._id },
    body: { reason: 'Advertising for another shop.' },
    response: { modifiedCount: 1 },
  },
  getReportedCount: { response: { count: 1, pending: 0 } },
  approveReview: { params: { id: review._id }, body: { version: 1 }, response: { modifiedCount: 1 } },
  answerReview: {
    params: { id: review._id },
    body: { version: 1, answer: 'Thank you: it is now packed in tubes.' },
    response: { modifiedCount: 1, version: 2 },
  },
  dismissReports: {
    params: { id: review._id },
    query: { until: '2026-11-13T08:30:00.000Z' },
    response: { deletedCount: 1 },
  },
  listAllOrders: { query: { q: 'graham', status: 'paid', sort: '-price', limit: '50' }, response: [order] },
  sumOrders: {
    query: { status: 'paid' },
    response: {
      of: 'orders',
      isComplete: true,
      sums: [{ currency: 'USD', count: 2, tools: 3, amount: 118.5 }],
    },
  },
  listOwnOrders: { query: { user: email }, response: [order] },
  getOrder: {
    params: { id: orderId },
    response: { ...order, history: [{ at: order.createdAt, what: 'placed' }] },
  },
  placeOrder: {
    body: {
      orderId: productId,
      orderQuantity: order.orderQuantity,
      price: order.price,
      user: email,
      phone: order.phone,
      address: order.address,
    },
    response: { insertedId: orderId },
  },
  getBasket: { response: basket },
  addToBasket: { params: { id: productId }, body: { quantity: 2 }, response: basket },
  setBasketLine: { params: { id: productId }, body: { quantity: 2 }, response: basket },
  removeBasketLine: { params: { id: productId }, response: { deletedCount: 1 } },
  placePurchase: {
    body: {
      lines: [{ orderId: productId, orderQuantity: order.orderQuantity }],
      price: order.price,
      phone: order.phone,
      address: order.address,
    },
    response: { insertedId: purchaseId, orders: [orderId] },
  },
  getPurchase: {
    params: { id: number },
    response: {
      _id: purchaseId,
      number,
      orders: [order],
      price: order.price,
      currency: 'USD',
      paid: false,
      refunded: 0,
      version: order.version,
      createdAt: order.createdAt,
      holdUntil: order.holdUntil,
    },
  },
  changeDelivery: {
    params: { id: number },
    body: { version: order.version, address: order.address, phone: order.phone },
    response: { modifiedCount: 1, version: order.version + 1 },
  },
  orderAgain: { params: { id: number }, response: basket },
  shipOrder: {
    params: { id: orderId },
    body: { orderStatus: 'sipping', version: 2, carrier: 'UPS', trackingNumber: '1Z5R89390357567127' },
    response: { modifiedCount: 1, version: 3 },
  },
  shipParcel: {
    body: {
      lines: [{ order: orderId, quantity: 1 }],
      trackingNumber: '1Z5R89390357567127',
      versions: { [purchaseId]: 2 },
    },
    response: { insertedId: shipmentId, versions: { [purchaseId]: 3 } },
  },
  undoShipment: { params: { id: shipmentId }, response: { deletedCount: 1, versions: { [purchaseId]: 4 } } },
  addOrderNote: {
    params: { id: orderId },
    body: { text: 'Rang to ask for a signature on delivery.' },
    response: { insertedId: '01a1fe60-15d0-7a51-8a3e-7c1b5a0d4f41' },
  },
  refundOrder: {
    params: { id: orderId },
    body: {
      version: 3,
      amount: 38.5,
      reason: 'requested_by_customer',
      note: 'One of two came bent.',
      quantity: 1,
      restock: 0,
    },
    response: { insertedId: '01a1fe60-15d0-7a51-8a3e-7c1b5a0d4f40', version: 4 },
  },
  refundPurchase: {
    params: { id: number },
    body: { version: 3, reason: 'requested_by_customer', restock: true },
    response: { insertedId: '01a1fe60-15d0-7a51-8a3e-7c1b5a0d4f40', version: 4 },
  },
  recordReturn: {
    params: { id: orderId },
    body: { version: 4, quantity: 1 },
    response: { modifiedCount: 1, version: 5 },
  },
  assignRefund: {
    params: { id: '01a1fe60-15d0-7a51-8a3e-7c1b5a0d4f40' },
    body: { version: 4, lines: [{ order: orderId, amount: 38.5, quantity: 1, restock: 0 }] },
    response: { modifiedCount: 1, version: 5 },
  },
  settleRefund: {
    params: { id: '01a1fe60-15d0-7a51-8a3e-7c1b5a0d4f40' },
    body: { outcome: 'repaid', note: 'By bank transfer.' },
    response: { modifiedCount: 1, version: 5 },
  },
  markOrderPaid: {
    params: { id: orderId },
    body: { order: orderId, transactionId: intent, orderStatus: 'paid' },
    response: { modifiedCount: 1, version: 2 },
  },
  deleteOrder: { params: { id: orderId }, response: { deletedCount: 1 } },
  quoteLines: {
    body: { lines: [{ orderId: productId, orderQuantity: 2 }], country: 'GB', rate: rateId },
    response: quote,
  },
  quotePurchase: { params: { id: number }, query: { country: 'GB', rate: rateId }, response: quote },
  saveCheckout: {
    params: { id: number },
    body: { version: order.version, shipTo, rate: rateId, remark: '', price: quote.price },
    response: {
      _id: purchaseId,
      number,
      orders: [order],
      price: quote.price,
      currency: 'USD',
      charges: quote.charges,
      rate: rateId,
      shipTo,
      paid: false,
      refunded: 0,
      version: order.version + 1,
      createdAt: order.createdAt,
      holdUntil: order.holdUntil,
    },
  },
  listAddresses: { response: [{ ...shipTo, _id: addressId }] },
  addAddress: { body: shipTo, response: { insertedId: addressId } },
  changeAddress: { params: { id: addressId }, body: shipTo, response: { modifiedCount: 1 } },
  removeAddress: { params: { id: addressId }, response: { deletedCount: 1 } },
  getShipping: { response: { ...shipping, version: 1 } },
  saveShipping: { body: { ...shipping, version: 0 }, response: { ...shipping, version: 1 } },
  createPaymentIntent: {
    body: { price: order.price, order: orderId },
    response: { clientSecret: `${intent}_secret_…` },
  },
  getRestoredBackup: { response: { madeAt: '2026-11-21T03:00:00.000Z' } },
  listUnknownPayments: {
    response: [
      {
        _id: intent,
        price: order.price,
        currency: 'USD',
        order: orderId,
        number: 'K7QD-2M4X',
        late: false,
        seenAt: '2026-11-21T10:15:00.000Z',
      },
    ],
  },
  settleUnknownPayment: {
    params: { id: intent },
    body: { outcome: 'paid', note: 'The customer sent the receipt.' },
    response: { modifiedCount: 1 },
  },
  settleLatePayment: {
    params: { id: intent },
    body: { version: order.version, outcome: 'accepted' },
    response: { modifiedCount: 1, version: order.version + 1 },
  },
  receiveStripeEvent: { response: { received: true } },
  uploadImage: { response: { success: true, status: 200, data: { url: img } } },
  getPrintout: {
    query: { orders: number },
    response: {
      shop: seller,
      purchases: [
        {
          _id: purchaseId,
          number,
          barcode: [2, 1, 1, 2, 1, 4],
          user: email,
          userName: order.userName,
          address: order.address,
          createdAt: order.createdAt,
          paidAt: '2026-11-21T10:15:00.000Z',
          lines: [
            {
              _id: orderId,
              product: order.product,
              quantity: order.orderQuantity,
              unitPrice: product.price,
              price: order.price,
              refunded: 0,
              toPack: order.orderQuantity,
            },
          ],
          price: order.price,
          currency: 'USD',
          refunds: [],
          refunded: 0,
        },
      ],
      skipped: [{ reference: 'M4XK-7QD2', reason: 'unpaid' }],
    },
  },
  getShopDetails: {
    response: {
      ...shopDetails,
      version: 2,
      environment: { name: 'Hand-Tools Shop', address: '', taxId: '' },
    },
  },
  saveShopDetails: {
    body: { version: 2, ...shopDetails },
    response: { modifiedCount: 1, version: 3 },
  },
  listAudit: {
    query: { limit: '50' },
    response: [
      {
        _id: '01a1fe80-4b1c-7a2d-9e3f-5a6b7c8d9e0f',
        at: '2026-11-21T11:00:00.000Z',
        actor: 'admin@example.com',
        actorId: '01a1fe80-0b1c-7a2d-9e3f-5a6b7c8d9e0f',
        action: 'makeAdmin',
        target: email,
        name: user.name,
        details: 'role: admin (was customer)',
      },
    ],
  },
  getOverview: {
    query: { from: '2026-11-20', to: '2026-11-21' },
    response: {
      readAt: '2026-11-21T12:00:00.000Z',
      from: '2026-11-20',
      to: '2026-11-21',
      currency: 'USD',
      days: [
        { date: '2026-11-20', revenue: 118, orders: 2, refunded: 0, refunds: 0 },
        { date: '2026-11-21', revenue: 79, orders: 1, refunded: 39.5, refunds: 1 },
      ],
      total: { revenue: 197, orders: 3, refunded: 39.5, refunds: 1 },
      before: { from: '2026-11-18', to: '2026-11-19', revenue: 59, orders: 1, refunded: 0, refunds: 0 },
      otherCurrencies: [],
      disputed: [{ currency: 'USD', amount: 39.5, disputes: 1 }],
      chargedBack: [],
      bestSellers: [{ _id: productId, name: product.name, pieces: 5, revenue: 197, deleted: false }],
      toShip: { parcels: 2, tools: 3, since: '2026-11-20T16:20:00.000Z' },
      holds: { orders: 3, pieces: 12, nextEndsAt: '2026-11-21T18:00:00.000Z' },
      lowStock: {
        products: 1,
        first: [{ _id: productId, name: product.name, o_quantity: 1, a_quantity: 2, lowStock: 5 }],
      },
      reportedReviews: 0,
      pendingReviews: 0,
      troubles: [],
      untried: [],
      hasOrders: true,
    },
  },
  getHealth: {
    response: {
      troubles: [
        {
          what: '1 error in the last day, most recently 2 hours ago.',
          advice: 'See the errors below. To find one in the log, search for its request id.',
        },
      ],
      untried: [],
      facts: {
        readAt: '2026-11-21T12:00:00.000Z',
        outages: [],
        webhook: { lastAt: '2026-11-21T11:40:12.000Z', lastOfPaymentAt: '2026-11-21T11:40:12.000Z' },
        payments: {
          lastPaidAt: '2026-11-21T11:40:13.000Z',
          open: 2,
          oldestOpenAt: '2026-11-20T18:03:44.000Z',
          unanswered: 0,
          refundsDue: 0,
          refundsPending: 0,
          refundsFailed: 0,
          oldestRefundAt: null,
          unknown: 0,
          lastUnknownAt: null,
          late: [],
        },
        orderRefunds: { unsent: 0, pending: 1, owed: [], paidTwice: [] },
        contact: { isFull: false },
        disputes: [],
        holds: { orders: 3, pieces: 12, nextEndsAt: '2026-11-21T18:00:00.000Z', overdue: 0 },
        mail: {
          lastSentAt: '2026-11-21T11:40:14.000Z',
          waiting: 0,
          oldestWaitingAt: null,
          failedCount: 0,
          failed: [],
        },
        errors: {
          count: 1,
          lastAt: '2026-11-21T09:58:00.000Z',
          kinds: [
            {
              what: 'a request failed unexpectedly',
              times: 1,
              lastAt: '2026-11-21T09:58:00.000Z',
              requestId: '0d0f2f0e-6c1b-4b7e-9d39-3f6d1d5c9a11',
            },
          ],
        },
        periodicWork: { lastFinishedAt: '2026-11-21T11:59:01.000Z', underWay: false },
        database: { engine: 'sqlite', bytes: 3_276_800, version: '005-health' },
        lastBackupAt: '2026-11-21T02:00:04.000Z',
      },
      startedAt: '2026-11-14T08:00:00.000Z',
    },
  },
  sendContactMessage: {
    body: { email, message: 'Do you repair fusee chains?' },
    response: { accepted: true },
  },
  subscribe: { body: { email }, response: { accepted: true } },
  confirmSubscription: {
    body: { token: 'WyJjdXN0b21lckBleGFtcGxlLmNvbSIsMTc5NTYwMDAwMDAwMF0.2v9T9sQm' },
    response: { modifiedCount: 1 },
  },
  listSubscribers: {
    response: [
      {
        _id: '01a1fe60-15d0-7a51-8a3e-7c1b5a0d4f33',
        email,
        confirmedAt: '2026-11-20T09:00:00.000Z',
        unsubscribeUrl: 'https://shop.example/newsletter/unsubscribe?token=Nq2v9T9sQm',
      },
    ],
  },
  listContactMessages: {
    response: [
      {
        _id: '01a1fe60-15d0-7a51-8a3e-7c1b5a0d4f34',
        email,
        message: 'Do you repair fusee chains?',
        createdAt: '2026-11-20T09:00:00.000Z',
      },
    ],
  },
  markContactMessages: {
    body: { ids: ['01a1fe60-15d0-7a51-8a3e-7c1b5a0d4f34'], answered: true },
    response: { modifiedCount: 1 },
  },
  retryMail: { response: { modifiedCount: 3 } },
};
