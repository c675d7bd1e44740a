import { listAudit } from './audit.ts';
import type { Call } from './call.ts';
import { getHealth } from './health.ts';
import { uploadImage } from './images.ts';
import {
  deleteOrder,
  getOrder,
  listAllOrders,
  listOwnOrders,
  markOrderPaid,
  placeOrder,
  shipOrder,
} from './orders.ts';
import type { CallName } from './paths.ts';
import { createPaymentIntent, listUnknownPayments, receiveStripeEvent } from './payments.ts';
import { addProduct, deleteProduct, getProduct, listProducts } from './products.ts';
import { addReview, hideReview, listReviews, showReview } from './reviews.ts';
import { isAdmin, listUsers, makeAdmin, saveUser } from './users.ts';

/** Every call of the shop by its name: the server, the browser's client, the tests and the OpenAPI document are made from it. */
export const contract = {
  saveUser,
  isAdmin,
  listUsers,
  makeAdmin,
  listProducts,
  getProduct,
  addProduct,
  deleteProduct,
  listReviews,
  addReview,
  hideReview,
  showReview,
  listAllOrders,
  listOwnOrders,
  getOrder,
  placeOrder,
  shipOrder,
  markOrderPaid,
  deleteOrder,
  createPaymentIntent,
  listAudit,
  getHealth,
  listUnknownPayments,
  receiveStripeEvent,
  uploadImage,
} as const satisfies Record<CallName, Call>;

export type Contract = typeof contract;
