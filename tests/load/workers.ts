import {
  addProduct,
  adjustStock,
  deleteProduct,
  refundOrder,
  shipOrder,
  workAtDesk,
} from './admin-actions.ts';
import {
  addReview,
  deleteOrder,
  payOrder,
  placeBasket,
  placeOrder,
  readPage,
  repeatWrite,
  saveProfile,
  uploadImage,
} from './customer-actions.ts';
import { type Action, signUpCustomer } from './load.ts';
import { answerDispute, refundAtProvider } from './provider-actions.ts';

/** Repeats each action as often as its weight says. */
export const weigh = (...actions: [weight: number, action: Action][]): Action[] =>
  actions.flatMap(([weight, action]) => Array<Action>(weight).fill(action));

const customer = weigh(
  [4, placeOrder],
  [4, placeBasket],
  [6, payOrder],
  [2, deleteOrder],
  [2, saveProfile],
  [2, addReview],
  [2, uploadImage],
  [2, repeatWrite],
  [2, readPage],
  [1, signUpCustomer],
);

const admin = weigh(
  [10, adjustStock],
  [16, refundOrder],
  [7, workAtDesk],
  [3, refundAtProvider],
  [1, answerDispute],
  [8, shipOrder],
  [3, addProduct],
  [1, deleteProduct],
);

/** For `runLoad`: eight customers and an admin do everything. */
export const allWorkers: Action[][] = [...Array<Action[]>(8).fill(customer), admin];
