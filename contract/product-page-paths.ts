import { get, patch, post, put, remove } from './paths.ts';

/** Method and path of the calls that only a product's page makes, and of those that edit and delete a review on Add Review. */
export const productPagePaths = {
  listRelatedProducts: get('/products/:id/related'),
  listProductReviews: get('/products/:id/reviews'),
  editReview: patch('/reviews/:id'),
  deleteReview: remove('/reviews/:id'),
  reportReview: post('/reviews/:id/reports'),
  addToBasket: post('/basket/:id'),
  requestBackInStock: put('/products/:id/backInStock'),
  cancelBackInStock: remove('/products/:id/backInStock'),
} as const;
