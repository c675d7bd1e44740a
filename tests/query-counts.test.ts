import { expect, test } from 'vitest';
import type { CallName } from '../contract/paths.ts';
import { prepareRequests } from './support/call-requests.ts';
import { allOffers } from './support/call-samples.ts';
import { engines } from './support/database.ts';
import { startPaidShop } from './support/paid-purchase.ts';
import { confirmIntent, openPurchasePayment, placePurchase } from './support/payments.ts';
import { startShop, type TestShop } from './support/shop.ts';
import { recordStatements, type Statement } from './support/statements.ts';

/**
 * The number of SQL statements per request, without the statements that begin and end transactions. The four numbers are for an
 * anonymous visitor, for the same request again (0 if the response is cached), for a customer, and for an admin. A rejected request
 * still counts the statement that looks up the session.
 */
type Counts = [visitor: number, repeated: number, customer: number, admin: number];

const calls: Record<CallName, Counts> = {
  saveUser: [0, 0, 2, 2],
  isAdmin: [0, 0, 1, 1],
  listUsers: [0, 0, 1, 3],
  makeAdmin: [0, 0, 1, 3],
  removeAdmin: [0, 0, 1, 4],
  signOutUser: [0, 0, 1, 8],
  // Six statements limit wrong and correct passwords. Messages to the user and messages to the address are found by different
  // indexes, so they take two statements.
  deleteUser: [0, 0, 36, 36],
  exportUser: [0, 0, 11, 11],
  listProducts: [1, 0, 2, 2],
  getProductFilters: [1, 0, 2, 2],
  listCategories: [0, 0, 1, 2],
  getProduct: [1, 0, 3, 3],
  // The first request caches the list of products bought together, for this call and for the product's page.
