import type { Page } from 'playwright-core';
import type { Person } from '../support/ask.ts';
import { buy, openPayment, placeOrder } from '../support/payments.ts';
import type { TestShop } from '../support/shop.ts';
import { chrome, safari, updateSession } from './browsers.ts';

export type Screen = {
  /** Of its picture. */
  name: string;
  path: string;
  as?: Person;
  /** What brings the page into this state once it is there. */
  act?: (page: Page) => Promise<void>;
  /** Complaints that belong to it. */
  expected?: RegExp[];
  /** Something stands over the page: its picture is the window's, not the whole page's. */
  inView?: true;
  /** There is no such thing at a desk. */
  phoneOnly?: true;
};

/** In the order of `prepareScreens`. */
export const screenNames = [
  ...[
    'home',
    'blogs',
    'login',
    'login-wrong',
    'login-refused',
    'signup',
    'not-found',
    'products',
    'portfolio',
  ],
  ...['purchase', 'purchase-wrong', 'purchase-sold-out', 'profile', 'profile-wrong', 'my-orders'],
  ...['my-orders-empty', 'my-orders-delete', 'payment', 'payment-paid', 'payment-foreign', 'add-review'],
  ...[
    'add-review-wrong',
    'add-review-hidden',
    'dashboard-menu',
    'users',
    'users-promote',
    'all-orders',
    'add-product',
  ],
  ...[
    'add-product-wrong',
    'manage-products',
    'reviews',
    'reviews-hidden',
    'reviews-hide',
    'audit',
    'health',
    'health-wrong',
    'failed',
    'loading',
  ],
];

/** Every screen of the demo shop and the states that look different, with the people and orders that they need. */
export async function prepareScreens(shop: TestShop): Promise<Screen[]> {
  const tom = await shop.signIn('customer@example.com', 'clockwork');
  const ada = await shop.signIn('admin@example.com', 'clockwork');
  const newcomer = await shop.signUp('Nora Newcomer');
  for (const person of [tom, newcomer]) await updateSession(shop, person, { userAgent: chrome });
  await updateSession(shop, await shop.signIn(tom.email, tom.password), { userAgent: safari });
  const profile = {
    address: '12 Escapement Row, Coventry CV1 5FB',
    phone: '024 7655 0148',
    education: 'British Horological Institute',
    linkedIn: 'https://www.linkedin.com/in/tom-graham',
  };
  await shop.client(tom).call('saveUser', { params: { email: tom.email }, body: profile });
  const products = await shop.client().call('listProducts', { query: {} });
  const find = (name: RegExp) => {
    const found = products.find((product) => name.test(product.name));
    if (!found) throw new Error(`No product is named ${name}.`);
    return found;
  };
  const shipped = await buy(shop, tom, find(/winder/));
  await shop.client(ada).call('shipOrder', {
    params: { id: shipped.order._id },
    body: { orderStatus: 'sipping' },
  });
  const paid = await buy(shop, tom, find(/depthing/i));
  const unpaid = await placeOrder(shop, tom, find(/Pegwood/), 30);
  await openPayment(shop, tom, unpaid);

  const { insertedId: id } = await shop.client(newcomer).call('addReview', {
    body: { rating: 1, reviews: 'Cheaper at\nexample.com/watches!', img: find(/winder/).img },
  });
  const reason = 'It advertises another shop.';
  await shop.client(ada).call('hideReview', { params: { id }, body: { reason } });

  const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
  const listed = (page: Page) => page.getByText('Chrome on Windows').waitFor();
  const opened = (page: Page) => page.locator('main details > summary').first().click();
  const purchase = `/purchase/${find(/Hand and collet puller/)._id}`;
  const payment = `/dashboard/payment/${unpaid._id}`;
  const card = 'iframe[title="Secure card payment input frame"]';

  return [
    { name: 'home', path: '/' },
    { name: 'blogs', path: '/blogs' },
    { name: 'login', path: '/login' },
    { name: 'login-wrong', path: '/login', act: press('Login') },
    { name: 'login-refused', path: '/login?reason=admin' },
    { name: 'signup', path: '/signup' },
    { name: 'not-found', path: '/nowhere', expected: [/status of 404/] },
    { name: 'products', path: '/products', as: tom },
    { name: 'portfolio', path: '/myPortfolio', as: tom },
    { name: 'purchase', path: purchase, as: tom },
    {
      name: 'purchase-wrong',
      path: purchase,
      as: tom,
      act: async (page) => {
        await page.getByLabel('Quantity', { exact: true }).fill('900');
        await page.getByLabel('Quantity', { exact: true }).press('Enter');
        await page.getByText('plz Input the write value').waitFor();
      },
      inView: true,
    },
    { name: 'purchase-sold-out', path: `/purchase/${find(/Mainspring clamps/)._id}`, as: tom },
    { name: 'profile', path: '/dashboard', as: tom, act: listed },
    {
      name: 'profile-wrong',
      path: '/dashboard',
      as: newcomer,
      act: async (page) => {
        await listed(page);
        await press('Save profile')(page);
      },
    },
    { name: 'my-orders', path: '/dashboard/myOrder', as: tom },
    { name: 'my-orders-empty', path: '/dashboard/myOrder', as: newcomer },
    {
      name: 'my-orders-delete',
      path: '/dashboard/myOrder',
      as: tom,
      act: press(/^Delete the order/),
      inView: true,
    },
    {
      name: 'payment',
      path: payment,
      as: tom,
      act: (page) => page.frameLocator(card).getByLabel('card number').waitFor(),
    },
    { name: 'payment-paid', path: `/dashboard/payment/${paid.order._id}`, as: tom },
    { name: 'payment-foreign', path: payment, as: newcomer, expected: [/status of 404/] },
    { name: 'add-review', path: '/dashboard/review', as: tom },
    { name: 'add-review-wrong', path: '/dashboard/review', as: tom, act: press('Add Review') },
    { name: 'add-review-hidden', path: '/dashboard/review', as: newcomer },
    { name: 'dashboard-menu', path: '/dashboard/myOrder', as: newcomer, act: opened, phoneOnly: true },
    { name: 'users', path: '/dashboard/users', as: ada },
    { name: 'users-promote', path: '/dashboard/users', as: ada, act: press(/^Make Admin/), inView: true },
    { name: 'all-orders', path: '/dashboard/allOrders', as: ada },
    { name: 'add-product', path: '/dashboard/addProduct', as: ada },
    { name: 'add-product-wrong', path: '/dashboard/addProduct', as: ada, act: press('Add Product') },
    { name: 'manage-products', path: '/dashboard/manageProduct', as: ada },
    { name: 'reviews', path: '/dashboard/reviews', as: ada },
    { name: 'reviews-hidden', path: '/dashboard/reviews?hidden', as: ada },
    { name: 'reviews-hide', path: '/dashboard/reviews', as: ada, act: press(/^Hide/), inView: true },
    { name: 'audit', path: '/dashboard/audit', as: ada },
    { name: 'health', path: '/dashboard/health', as: ada },
    { name: 'health-wrong', path: '/dashboard/health', as: ada, act: (page) => lookInTrouble(shop, page) },
    {
      name: 'failed',
      path: '/login',
      expected: [/blogs.*\.js|ERR_FAILED/],
      act: async (page) => {
        await page.route('**/static/js/*blogs*', (route) => route.abort());
        await page.getByRole('contentinfo').getByRole('link', { name: 'Blogs' }).click();
        await page.getByRole('heading', { name: 'Loading chunk failed' }).waitFor();
      },
    },
    {
      name: 'loading',
      path: '/blogs',
      as: tom,
      act: async (page) => {
        await page.route('**/api/products*', () => undefined);
        await page.getByRole('contentinfo').getByRole('link', { name: 'Products' }).click();
        await page.getByText('Please Wait, Processing...').waitFor();
      },
      inView: true,
    },
  ];
}

/** Shows Health while something has gone wrong, and leaves the shop as well as it was. */
async function lookInTrouble({ database: { db } }: TestShop, page: Page): Promise<void> {
  const now = Date.now();
  const wrong = (what: string, times: number) => ({
    ...{ what, times, hour: Math.floor(now / 3_600_000), last_at: now },
    request_id: '0d0f2f0e-6c1b-4b7e-9d39-3f6d1d5c9a11',
  });
  await db
    .insertInto('failure')
    .values([
      wrong('The payment provider cannot be reached. Nothing has changed: try again in a moment.', 12),
      wrong('a page could not be rendered', 1),
    ])
    .execute();
  const paid = { name: 'paid', at: now - 3 * 86_400_000 };
  const before = await db.deleteFrom('last_time').returningAll().execute();
  await db.insertInto('last_time').values(paid).execute();
  await page.reload();
  await page.getByRole('heading', { name: '2 things are not well' }).waitFor();
  await db.deleteFrom('failure').execute();
  await db.deleteFrom('last_time').execute();
  if (before.length > 0) await db.insertInto('last_time').values(before).execute();
}
