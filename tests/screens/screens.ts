import type { Page } from 'playwright-core';
import { uuidv7 } from 'uuidv7';
import type { Product } from '../../contract/catalogue/products.ts';
import type { ShippingEdit } from '../../contract/delivery/shipping-rates.ts';
import type { Purchase } from '../../contract/orders/purchases.ts';
import { changeAddressPage } from '../../contract/page-addresses.ts';
import { describeAccount } from '../../server/identity/accounts.ts';
import { issueToken } from '../../server/identity/recovery/tokens.ts';
import { addMail, recordAttempt } from '../../server/mail/outbox.ts';
import { addPasskey } from '../support/passkeys.ts';
import {
  buy,
  buyTogether,
  openPayment,
  placeOrder,
  placePurchase,
  type RefundBody,
  refundOrder,
  shipOrder,
} from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import type { TestShop } from '../support/shop.ts';
import { turnOnTwoFactor } from '../support/two-factor.ts';
import { chrome, safari, updateSession } from './browsers.ts';
import { createPhoto, invalidImage } from './image-files.ts';
import { openPath, type Stage, waitForHydration } from './stage.ts';

export type Screen = {
  /** The name of the screen, and of its screenshot. */
  name: string;
  path: string;
  as?: TestUser;
  /** Brings the loaded page into the state to show. */
  prepare?: (page: Page) => Promise<void>;
  /** Console messages and errors to ignore. */
  expected?: RegExp[];
  /** The screenshot shows the viewport, because an overlay covers the page. */
  viewportOnly?: true;
  /** The state exists on phones only. */
  phoneOnly?: true;
};

/** Opens one of `screens` by its name, without animations, in the state that it shows. `width` is in CSS pixels. */
export async function openScreen(
  stage: Stage,
  screens: Screen[],
  name: string,
  width: number,
): Promise<Page> {
  const screen = screens.find((candidate) => candidate.name === name);
  if (!screen) throw new Error(`There is no screen ${name}.`);
  const { path, as, prepare, expected = [] } = screen;
  const page = await stage.open({
    reducedMotion: 'reduce',
    viewport: { width, height: 740 },
    expected,
    ...(as ? { as } : {}),
  });
  await openPath(page, path);
  await prepare?.(page);
  return page;
}

/** The names of the screens, in the order of `prepareScreens`. */
export const screenNames = [
  'home',
  'blogs',
  'login',
  'login-wrong',
  'login-refused',
  'login-undone',
  'login-code',
  'login-code-wrong',
  'login-recovery-code',
  'signup',
  'signup-wrong',
  'forgot-password',
  'forgot-password-sent',
  'reset-password',
  'reset-password-wrong',
  'confirm-address',
  'change-address',
  'change-address-undo',
  'not-found',
  'delivery-costs',
  'contact',
  'contact-wrong',
  'contact-sent',
  'newsletter',
  'newsletter-sent',
  'newsletter-confirm',
  'newsletter-confirm-wrong',
  'newsletter-unsubscribe',
  'newsletter-unsubscribed',
  'back-in-stock-stop',
  'back-in-stock-stopped',
  'products',
  'products-search',
  'products-filters',
  'products-suggestions',
  'products-similar',
  'products-nothing',
  'portfolio',
  'purchase',
  'purchase-visitor',
  'purchase-wrong',
  'purchase-sold-out',
  'purchase-unconfirmed',
  'purchase-archived',
  'purchase-images',
  'purchase-large',
  'basket',
  'basket-wrong',
  'basket-changed',
  'basket-empty',
  'profile',
  'profile-wrong',
  'two-factor',
  'two-factor-scan',
  'two-factor-on',
  'two-factor-codes',
  'passkeys',
  'delete-account',
  'account-deleted',
  'my-orders',
  'my-orders-together',
  'my-orders-empty',
  'my-orders-delete',
  'order',
  'order-ship',
  'order-refund',
  'order-refund-wrong',
  'order-disputed',
  'payment',
  'payment-together',
  'payment-paid',
  'payment-foreign',
  'checkout',
  'checkout-wrong',
  'checkout-conflict',
  'checkout-chosen',
  'profile-addresses',
  'add-review',
  'add-review-wrong',
  'add-review-hidden',
  'dashboard-menu',
  'users',
  'users-promote',
  'users-search',
  'users-demote',
  'users-sign-out',
  'all-orders',
  'all-orders-selected',
  'all-orders-shortcuts',
  'add-product',
  'add-product-wrong',
  'manage-products',
  'manage-products-archived',
  'manage-products-search',
  'manage-products-low',
  'manage-products-edit',
  'import-products',
  'import-products-preview',
  'import-products-wrong',
  'product',
  'product-conflict',
  'product-images',
  'product-preview',
  'stock',
  'count-products',
  'product-stock',
  'product-stock-count',
  'reviews',
  'reviews-hidden',
  'reviews-hide',
  'print-picks',
  'print-customs',
  'print-slips',
  'print-invoices',
  'shop-details',
  'shop-details-conflict',
  'delivery-rates',
  'delivery-rates-wrong',
  'delivery-rates-conflict',
  'messages',
  'audit',
  'overview',
  'security',
  'health',
  'health-wrong',
  'failed',
  'loading',
];

/** Chooses a file to import and waits for its preview. */
const chooseFile = (text: string) => async (page: Page) => {
  const file = { name: 'supplier.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.getByLabel('CSV file').setInputFiles(file);
  await page.getByRole('heading', { name: 'Preview of supplier.csv' }).waitFor();
};

/** On every screen, at least in the footer. */
const promises = {
  delivery: 'Sent within two working days by tracked post',
  deliveryShown: true,
  returns: 'Send it back within 30 days',
  returnsShown: true,
  returnDays: 30,
  guarantee: 'Two years on every tool',
  guaranteeShown: true,
};

/** Creates the people and orders that the screens need; returns every screen of the demo shop in all its states. */
export async function prepareScreens(shop: TestShop): Promise<Screen[]> {
  const tom = await shop.signIn('customer@example.com', 'clockwork');
  const ada = await shop.signIn('admin@example.com', 'clockwork');
  const newcomer = await shop.signUp('Nora Newcomer');
  const collector = await shop.signUpConfirmed('Colin Collector');
  for (const person of [tom, newcomer]) await updateSession(shop, person, { userAgent: chrome });
  await updateSession(shop, await shop.signIn(tom.email, tom.password), { userAgent: safari });
  const profile = {
    address: '12 Escapement Row, Coventry CV1 5FB',
    phone: '024 7655 0148',
    education: 'British Horological Institute',
    linkedIn: 'https://www.linkedin.com/in/tom-graham',
  };
  await shop.client(tom).call('saveUser', { params: { email: tom.email }, body: profile });
  const { environment: _, ...details } = await shop.client(ada).call('getShopDetails', {});
  await shop.client(ada).call('saveShopDetails', { body: { ...details, ...promises } });
  const products = await shop.client().call('listProducts', { query: {} });
  const getProduct = (name: RegExp) => {
    const found = products.find((product) => name.test(product.name));
    if (!found) throw new Error(`No product is named ${name}.`);
    return found;
  };
  const archived = await addArchived(shop);
  const withImages = getProduct(/Pin vises/);
  await addImages(shop, withImages, [getProduct(/broaches/), getProduct(/callipers/)]);
  const shipped = await buy(shop, tom, getProduct(/winder/));
  await shipOrder(shop.client(ada), {
    params: { id: shipped.order._id },
    body: { orderStatus: 'sipping', trackingNumber: '1Z5R89390357567127' },
  });
  const paid = await buy(shop, tom, getProduct(/depthing/i));
  const unpaid = await placeOrder(shop, tom, getProduct(/Pegwood/), 30);
  await openPayment(shop, tom, unpaid);

  const { insertedId: id } = await shop.client(newcomer).call('addReview', {
    body: { rating: 1, reviews: 'Cheaper at\nexample.com/watches!', img: getProduct(/winder/).img },
  });
  const reason = 'It advertises another shop.';
  await shop.client(ada).call('hideReview', { params: { id }, body: { version: 1, reason } });

  const together = await placePurchase(shop, collector, [
    [getProduct(/Hand and collet puller/), 1],
    [getProduct(/Pegwood/), 30],
    [getProduct(/winder/), 1],
  ]);
  const refunded = await buyTogether(shop, collector, [
    [getProduct(/depthing/i), 1],
    [getProduct(/Pegwood/), 30],
    [getProduct(/Hand and collet puller/), 2],
  ]);
  const [tool, wood] = refunded.orders;
  if (!tool || !wood) throw new Error('The purchase has fewer than two orders.');
  const refund = (order: string, body: RefundBody) =>
    refundOrder(shop.client(ada), { params: { id: order }, body });
  await refund(wood._id, { reason: 'requested_by_customer' });
  const note = 'The post office bent it; Colin keeps it.';
  await refund(tool._id, { amount: 12.5, reason: 'other', note });
  await fillBaskets(shop, { tom, collector }, products);

  const careful = await turnOnTwoFactor(shop, await shop.signUp('Cara Careful'), 0);
  await addPasskey(shop, careful);

  const clara = await shop.signUp('Clara Checkout');
  const placeFor = async () => placePurchase(shop, clara, [[getProduct(/Hand and collet puller/), 1]]);
  const [toChoose, chosen] = [await placeFor(), await placeFor()];
  for (const line1 of ['12 Escapement Row', '5 Mill Lane'])
    await shop.client(clara).call('addAddress', { body: { ...clarasHome, line1 } });
  const checkout = `/dashboard/payment/${toChoose.orders[0]?._id}`;
  const { id: key } = (await describeAccount(shop.database, tom.email)) ?? { id: '' };
  const changeToken = await issueToken(shop.database, 'change address', 'tom@clocks.example', { key });

  const pressButton = (name: string | RegExp) => (page: Page) =>
    page.getByRole('button', { name }).first().click();
  async function enterPassword(page: Page, { password }: TestUser): Promise<void> {
    await page.getByLabel('Your password').fill(password);
    await page.keyboard.press('Enter');
  }
  const waitForPasskeys = (page: Page) => page.getByRole('button', { name: 'Remove Phone' }).waitFor();
  const waitForSessions = (page: Page) => page.getByText('Chrome on Windows').waitFor();
  const openMenu = (page: Page) => page.locator('main details > summary').first().click();
  const purchase = `/purchase/${getProduct(/Hand and collet puller/)._id}`;
  const order = `/dashboard/orders/${refunded.number}`;
  const payment = `/dashboard/payment/${unpaid._id}`;
  const card = 'iframe[title="Secure card payment input frame"]';

  return [
    { name: 'home', path: '/' },
    { name: 'blogs', path: '/blogs' },
    { name: 'login', path: '/login' },
    { name: 'login-wrong', path: '/login', prepare: pressButton('Login') },
    { name: 'login-refused', path: '/login?reason=admin' },
    { name: 'login-undone', path: '/login?done=undone' },
    { name: 'login-code', path: '/login/code' },
    { name: 'login-code-wrong', path: '/login/code', prepare: pressButton('Login') },
    { name: 'login-recovery-code', path: '/login/code?use=recovery-code' },
    { name: 'signup', path: '/signup' },
    {
      name: 'signup-wrong',
      path: '/signup',
      expected: [/status of 400/],
      prepare: async (page) => {
        await page.getByLabel('Name').fill('Nora Newcomer');
        await page.getByLabel('Email').fill('nora@example.com');
        await page.getByLabel('Password', { exact: true }).fill('mainspring');
        await pressButton('Sign up')(page);
        await page.getByRole('alert').getByText('easily guessed').waitFor();
      },
    },
    { name: 'forgot-password', path: '/forgot-password' },
    { name: 'forgot-password-sent', path: '/forgot-password?done=sent' },
    { name: 'reset-password', path: '/reset-password?token=sample' },
    {
      name: 'reset-password-wrong',
      path: '/reset-password?token=sample',
      expected: [/status of 400/],
      prepare: async (page) => {
        await page.getByLabel('New password').fill('verge-and-foliot');
        await pressButton('Change password')(page);
        await page.getByText('This link has expired').waitFor();
      },
    },
    { name: 'confirm-address', path: '/confirm-address?token=sample', as: tom },
    { name: 'change-address', path: `${changeAddressPage}?token=${changeToken}`, as: tom },
    { name: 'change-address-undo', path: '/reset-password?token=sample&undo' },
    { name: 'not-found', path: '/nowhere', expected: [/status of 404/] },
    {
      name: 'delivery-costs',
      path: '/delivery',
      expected: [/status of 404/],
      prepare: (page) =>
        showDelivery(shop, page, () =>
          page.getByRole('heading', { name: 'Delivery costs', level: 1 }).waitFor(),
        ),
    },
    { name: 'contact', path: '/contact' },
    {
      name: 'contact-wrong',
      path: '/contact',
      prepare: async (page) => {
        await page.getByRole('button', { name: 'Send' }).click();
        await page.getByText('Message is Required').first().waitFor();
      },
      expected: [/status of 422/],
    },
    { name: 'contact-sent', path: '/contact?done=sent' },
    { name: 'newsletter', path: '/newsletter' },
    { name: 'newsletter-sent', path: '/newsletter?done=sent' },
    { name: 'newsletter-confirm', path: '/newsletter/confirm?token=x' },
    {
      name: 'newsletter-confirm-wrong',
      path: '/newsletter/confirm?token=x',
      prepare: async (page) => {
        await page.getByRole('button', { name: 'Yes, subscribe me' }).click();
        await page.getByRole('link', { name: 'Subscribe again' }).waitFor();
      },
      expected: [/status of 422/],
    },
    { name: 'newsletter-unsubscribe', path: '/newsletter/unsubscribe?token=x' },
    { name: 'newsletter-unsubscribed', path: '/newsletter/unsubscribe?done=yes' },
    { name: 'back-in-stock-stop', path: '/back-in-stock/stop?token=x' },
    { name: 'back-in-stock-stopped', path: '/back-in-stock/stop?done=yes' },
    { name: 'products', path: '/products', as: tom },
    { name: 'products-search', path: '/products?q=mainspring&inStock=true', as: tom },
    {
      name: 'products-filters',
      path: '/products?category=Holding+and+gripping&minPrice=20',
      as: tom,
      prepare: (page) => page.getByText('Filters (2)').click(),
      phoneOnly: true,
    },
    {
      name: 'products-suggestions',
      path: '/products',
      as: tom,
      async prepare(page) {
        await page.getByRole('combobox', { name: 'Search the catalogue' }).fill('mainspring');
        await page.getByRole('listbox', { name: 'Suggested tools' }).waitFor();
        await page.keyboard.press('ArrowDown');
      },
      viewportOnly: true,
      phoneOnly: true,
    },
    { name: 'products-similar', path: '/products?q=oil+holder', as: tom },
    { name: 'products-nothing', path: '/products?q=cuckoo&inStock=true', as: tom },
    { name: 'portfolio', path: '/myPortfolio', as: tom },
    { name: 'purchase', path: purchase, as: tom },
    { name: 'purchase-visitor', path: purchase },
    {
      name: 'purchase-wrong',
      path: purchase,
      as: tom,
      prepare: async (page) => {
        await page.locator('#orderQuantity').fill('900');
        await page.locator('#orderQuantity').press('Enter');
        await page.getByText('plz Input the write value').waitFor();
      },
      viewportOnly: true,
    },
    { name: 'purchase-sold-out', path: `/purchase/${getProduct(/Mainspring clamps/)._id}`, as: collector },
    { name: 'purchase-unconfirmed', path: `/purchase/${getProduct(/Mainspring clamps/)._id}`, as: newcomer },
    { name: 'purchase-archived', path: `/purchase/${archived._id}`, as: tom },
    { name: 'purchase-images', path: `/purchase/${withImages._id}`, as: tom },
    {
      name: 'purchase-large',
      path: `/purchase/${withImages._id}`,
      as: tom,
      prepare: async (page) => {
        await page
          .getByRole('link', { name: /enlarge/ })
          .first()
          .click();
        await page.getByRole('dialog').waitFor();
      },
      viewportOnly: true,
    },
    { name: 'basket', path: '/basket', as: tom },
    { name: 'basket-wrong', path: '/basket', as: collector },
    {
      name: 'basket-changed',
      path: '/basket',
      as: tom,
      prepare: async (page) => {
        await page.route('**/api/basket', async (route) => {
          const response = await route.fetch();
          const basket = await response.json();
          basket.lines[0].product.price += 1;
          await route.fulfill({ response, json: basket });
        });
        await pressButton('Place order')(page);
        await page.getByText('Your basket has changed').waitFor();
      },
    },
    { name: 'basket-empty', path: '/basket', as: newcomer },
    { name: 'profile', path: '/dashboard', as: tom, prepare: waitForSessions },
    {
      name: 'profile-wrong',
      path: '/dashboard',
      as: newcomer,
      prepare: async (page) => {
        await waitForSessions(page);
        await pressButton('Save profile')(page);
      },
    },
    { name: 'two-factor', path: '/dashboard/two-factor', as: tom },
    {
      name: 'two-factor-scan',
      path: '/dashboard/two-factor',
      as: tom,
      prepare: async (page) => {
        await enterPassword(page, tom);
        await page.getByRole('img', { name: /^QR code/ }).waitFor();
      },
    },
    { name: 'two-factor-on', path: '/dashboard/two-factor', as: careful },
    {
      name: 'two-factor-codes',
      path: '/dashboard/two-factor',
      as: careful,
      prepare: async (page) => {
        await pressButton('Create new codes')(page);
        await enterPassword(page, careful);
        await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
      },
    },
    {
      name: 'passkeys',
      path: '/dashboard/passkeys',
      as: careful,
      prepare: waitForPasskeys,
    },
    { name: 'delete-account', path: '/dashboard/delete-account', as: tom },
    { name: 'account-deleted', path: '/account-deleted' },
    { name: 'my-orders', path: '/dashboard/myOrder', as: tom },
    { name: 'my-orders-together', path: '/dashboard/myOrder', as: collector },
    { name: 'my-orders-empty', path: '/dashboard/myOrder', as: newcomer },
    {
      name: 'my-orders-delete',
      path: '/dashboard/myOrder',
      as: tom,
      prepare: pressButton(/^Delete the order/),
      viewportOnly: true,
    },
    { name: 'order', path: order, as: collector },
    {
      name: 'order-ship',
      path: order,
      as: ada,
      prepare: (page) => page.getByLabel('Tracking number').fill('1Z5R89390357567127'),
    },
    { name: 'order-refund', path: `${order}?refund=${tool._id}`, as: ada },
    {
      name: 'order-refund-wrong',
      path: `${order}?refund=${tool._id}`,
      as: ada,
      prepare: async (page) => {
        await page.getByLabel('Amount').fill('9,50');
        await pressButton('Refund')(page);
      },
    },
    { name: 'order-disputed', path: order, as: ada, prepare: (page) => showDispute(shop, page, refunded) },
    {
      name: 'payment',
      path: payment,
      as: tom,
      prepare: (page) => page.frameLocator(card).getByLabel('card number').waitFor(),
    },
    {
      name: 'payment-together',
      path: `/dashboard/payment/${together.orders[0]?._id}`,
      as: collector,
      prepare: (page) => page.frameLocator(card).getByLabel('card number').waitFor(),
    },
    { name: 'payment-paid', path: `/dashboard/payment/${paid.order._id}`, as: tom },
    { name: 'payment-foreign', path: payment, as: newcomer, expected: [/status of 404/] },
    {
      name: 'checkout',
      path: checkout,
      as: clara,
      prepare: (page) =>
        showDelivery(shop, page, async () => {
          await findWhere(page).getByLabel('Postcode').fill('');
          await page.getByText('Enter the postcode first').waitFor();
        }),
    },
    {
      name: 'checkout-wrong',
      path: checkout,
      as: clara,
      expected: [/status of 422/],
      prepare: (page) =>
        showDelivery(shop, page, async () => {
          await page.locator('select[name="shipTo.country"]').selectOption('US');
          await page.getByText('Air mail').first().waitFor();
          await pressButton('Continue to payment')(page);
          await page.getByText('State is Required').first().waitFor();
        }),
    },
    {
      name: 'checkout-conflict',
      path: checkout,
      as: clara,
      expected: [/status of 409/],
      prepare: (page) => showDelivery(shop, page, () => showCheckoutConflict(shop, page)),
    },
    {
      name: 'checkout-chosen',
      path: `/dashboard/payment/${chosen.orders[0]?._id}`,
      as: clara,
      prepare: (page) => showDelivery(shop, page, () => showChosen(shop, page, clara, chosen._id)),
    },
    {
      name: 'profile-addresses',
      path: '/dashboard?address=new',
      as: clara,
      prepare: (page) =>
        showDelivery(shop, page, () => page.getByRole('heading', { name: 'New address' }).waitFor()),
    },
    { name: 'add-review', path: '/dashboard/review', as: tom },
    { name: 'add-review-wrong', path: '/dashboard/review', as: tom, prepare: pressButton('Add Review') },
    { name: 'add-review-hidden', path: '/dashboard/review', as: newcomer },
    { name: 'dashboard-menu', path: '/dashboard/myOrder', as: newcomer, prepare: openMenu, phoneOnly: true },
    { name: 'users', path: '/dashboard/users', as: ada },
    {
      name: 'users-promote',
      path: '/dashboard/users',
      as: ada,
      prepare: pressButton(/^Make Admin/),
      viewportOnly: true,
    },
    { name: 'users-search', path: '/dashboard/users?q=nobody', as: ada },
    {
      name: 'users-demote',
      path: '/dashboard/users',
      as: ada,
      prepare: pressButton(/^Remove admin/),
      viewportOnly: true,
    },
    {
      name: 'users-sign-out',
      path: '/dashboard/users',
      as: ada,
      prepare: pressButton(/^Sign out everywhere/),
      viewportOnly: true,
    },
    { name: 'all-orders', path: '/dashboard/allOrders', as: ada },
    {
      name: 'all-orders-selected',
      path: '/dashboard/allOrders',
      as: ada,
      prepare: async (page) => {
        for (const at of [0, 1])
          await page
            .getByRole('checkbox', { name: /^Select order/ })
            .nth(at)
            .check();
      },
    },
    {
      name: 'all-orders-shortcuts',
      path: '/dashboard/allOrders',
      as: ada,
      prepare: async (page) => {
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      },
      viewportOnly: true,
    },
    { name: 'add-product', path: '/dashboard/addProduct', as: ada },
    {
      name: 'add-product-wrong',
      path: '/dashboard/addProduct',
      as: ada,
      prepare: pressButton('Add Product'),
    },
    { name: 'manage-products', path: '/dashboard/manageProduct', as: ada },
    { name: 'manage-products-archived', path: '/dashboard/manageProduct?archived', as: ada },
    { name: 'manage-products-search', path: '/dashboard/manageProduct?q=p', as: ada },
    { name: 'manage-products-low', path: '/dashboard/manageProduct?low&sort=stock', as: ada },
    {
      name: 'manage-products-edit',
      path: '/dashboard/manageProduct',
      as: ada,
      prepare: async (page) => {
        await pressButton(/ edit price of /)(page);
        await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
      },
      viewportOnly: true,
    },
    {
      name: 'import-products',
      path: '/dashboard/products/import',
      as: ada,
      prepare: (page) => page.getByText('The columns of a file').first().click(),
    },
    {
      name: 'import-products-preview',
      path: '/dashboard/products/import',
      as: ada,
      prepare: chooseFile(
        [
          'id,name,price,o_quantity,a_quantity,delivery,category,description',
          `${archived._id},"${archived.name}",${archived.price + 1.5},3,999,12,Measuring,"Restored, and reissued."`,
          ',Depthing tool,129,1,4,,Measuring,Plants two wheels at their exact distance.',
        ].join('\n'),
      ),
    },
    {
      name: 'import-products-wrong',
      path: '/dashboard/products/import',
      as: ada,
      prepare: chooseFile(
        [
          'name,price,o_quantity,a_quantity,description',
          'Depthing tool,"1,250.00",1,4,Plants two wheels at their exact distance.',
          'Bow compass,18,0,,Scribes circles.',
        ].join('\n'),
      ),
    },
    { name: 'product', path: `/dashboard/products/${archived._id}`, as: ada },
    {
      name: 'product-conflict',
      path: `/dashboard/products/${archived._id}`,
      as: ada,
      expected: [/status of 409/],
      prepare: (page) => showConflict(shop, page, archived),
    },
    {
      name: 'product-images',
      path: `/dashboard/products/${withImages._id}`,
      as: ada,
      expected: [/status of 415/],
      prepare: async (page) => {
        await page.getByLabel('Add images').setInputFiles([await createPhoto(), invalidImage]);
        await page.getByText('Please choose an image').waitFor();
      },
    },
    {
      name: 'product-preview',
      path: `/dashboard/products/${withImages._id}`,
      as: ada,
      prepare: async (page) => {
        await page.getByLabel('Price').fill('13,20');
        await page.getByLabel('Name').fill('Pin vises, new');
        await pressButton('Preview')(page);
        await page.getByRole('heading', { name: 'Pin vises, new' }).waitFor();
      },
      viewportOnly: true,
    },
    { name: 'stock', path: '/dashboard/stock', as: ada },
    {
      name: 'count-products',
      path: '/dashboard/products/count',
      as: ada,
      prepare: async (page) => {
        await page
          .getByLabel(/^Pieces of /)
          .first()
          .fill('many');
        await page.keyboard.press('Enter');
      },
    },
    { name: 'product-stock', path: `/dashboard/products/${archived._id}/stock`, as: ada },
    {
      name: 'product-stock-count',
      path: `/dashboard/products/${archived._id}/stock?reason=count`,
      as: ada,
      prepare: pressButton('Record count'),
    },
    { name: 'reviews', path: '/dashboard/reviews', as: ada },
    { name: 'reviews-hidden', path: '/dashboard/reviews?hidden', as: ada },
    {
      name: 'reviews-hide',
      path: '/dashboard/reviews',
      as: ada,
      prepare: pressButton(/^Hide/),
      viewportOnly: true,
    },
    { name: 'print-picks', path: `/dashboard/print/picks?orders=${refunded.number}`, as: ada },
    { name: 'print-customs', path: `/dashboard/print/customs?orders=${refunded.number}`, as: ada },
    { name: 'print-slips', path: `/dashboard/print/slips?orders=${refunded.number}`, as: ada },
    {
      name: 'print-invoices',
      path: `/dashboard/print/invoices?orders=${refunded.number},${together.number}`,
      as: collector,
    },
    { name: 'shop-details', path: '/dashboard/shop', as: ada },
    {
      name: 'shop-details-conflict',
      path: '/dashboard/shop',
      as: ada,
      expected: [/status of 409/],
      prepare: (page) => showDetailsConflict(shop, page),
    },
    { name: 'delivery-rates', path: '/dashboard/delivery', as: ada },
    {
      name: 'delivery-rates-wrong',
      path: '/dashboard/delivery',
      as: ada,
      prepare: async (page) => {
        await page.getByRole('button', { name: 'United Kingdom' }).click();
        await pressButton('Save delivery')(page);
        await page.getByText('Check the example prices and days').first().waitFor();
      },
    },
    {
      name: 'delivery-rates-conflict',
      path: '/dashboard/delivery',
      as: ada,
      expected: [/status of 409/],
      prepare: (page) => showDeliveryConflict(shop, page),
    },
    { name: 'messages', path: '/dashboard/messages', as: ada, prepare: (page) => showMessages(shop, page) },
    { name: 'audit', path: '/dashboard/audit', as: ada },
    {
      name: 'overview',
      path: '/dashboard',
      as: ada,
      // The chart is drawn.
      prepare: (page) => page.locator('canvas[style]').waitFor(),
    },
    {
      name: 'security',
      path: '/dashboard/account',
      as: ada,
      prepare: (page) => page.getByText('this browser').first().waitFor(),
    },
    { name: 'health', path: '/dashboard/health', as: ada },
    { name: 'health-wrong', path: '/dashboard/health', as: ada, prepare: (page) => showFailures(shop, page) },
    {
      name: 'failed',
      path: '/login',
      expected: [/blogs.*\.js|ERR_FAILED/],
      prepare: async (page) => {
        await page.route('**/static/js/*blogs*', (route) => route.abort());
        await page.getByRole('contentinfo').getByRole('link', { name: 'Blogs' }).click();
        await page.getByRole('heading', { name: 'Loading chunk failed' }).waitFor();
      },
    },
    {
      name: 'loading',
      path: '/blogs',
      as: tom,
      prepare: async (page) => {
        await page.route('**/api/products*', () => undefined);
        await page.getByRole('contentinfo').getByRole('link', { name: 'Products' }).click();
        await page.getByText('Please Wait, Processing...').waitFor();
      },
      viewportOnly: true,
    },
  ];
}

/** Puts three tools into one basket, and into the other a line with each problem. */
async function fillBaskets(
  shop: TestShop,
  { tom, collector }: Record<'tom' | 'collector', TestUser>,
  products: Product[],
): Promise<void> {
  const [first, second, third, short, empty, raised] = products.filter(
    ({ name, a_quantity, o_quantity }) =>
      a_quantity > o_quantity && !/Hand and collet|Pegwood|winder|depthing/i.test(name),
  );
  const gone = await shop.addProduct({ name: 'Balance staff remover' });
  if (!first || !second || !third || !short || !empty || !raised)
    throw new Error('The catalogue is too small.');
  const put = (person: TestUser, { _id: id, o_quantity: quantity }: Product) =>
    shop.client(person).call('setBasketLine', { params: { id }, body: { quantity } });
  for (const product of [first, second, third]) await put(tom, product);
  for (const product of [first, short, empty, raised, gone]) await put(collector, product);
  const { db } = shop.database;
  const quantity = short.a_quantity + 1;
  await db.updateTable('basket_line').set({ quantity }).where('product_id', '=', short._id).execute();
  const minimum = raised.o_quantity + 1;
  await db.updateTable('product').set({ minimum }).where('id', '=', raised._id).execute();
  await db.updateTable('product').set({ available: 0 }).where('id', '=', empty._id).execute();
  await shop.client(await shop.admin()).call('deleteProduct', { params: { id: gone._id } });
}

/** Adds a product and archives it. */
async function addArchived(shop: TestShop): Promise<Product> {
  const product = await shop.addProduct({ name: 'Brass bushings, assorted', price: 18.5 });
  const body = { version: 1, archived: true };
  await shop.client(await shop.admin()).call('editProduct', { params: { id: product._id }, body });
  return product;
}

/** Gives a product the images of others as well. */
async function addImages(shop: TestShop, product: Product, others: Product[]): Promise<void> {
  const images = [product, ...others].map(({ img }) => img);
  const params = { id: product._id };
  const body = { version: product.version, images };
  await shop.client(await shop.admin()).call('editProduct', { params, body });
}

/** Saves a page's edit of a product after another admin has edited it, too. */
async function showConflict(shop: TestShop, page: Page, { _id: id }: Product): Promise<void> {
  const client = shop.client(await shop.admin());
  const { version, name } = await client.call('getProduct', { params: { id } });
  const body = { version, name: `${name}, new`, price: 19.5 + version };
  await page.getByLabel('Price').fill('17.90');
  await client.call('editProduct', { params: { id }, body });
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { name: 'Your version and the current one' }).waitFor();
}

/** Saves the shop's details after another admin has saved them, too. */
async function showDetailsConflict(shop: TestShop, page: Page): Promise<void> {
  const client = shop.client(await shop.admin());
  const { version } = await client.call('getShopDetails', {});
  const address = `${version + 1} Escapement Row\nCoventry CV1 5FB`;
  await page.getByLabel('Address').fill('12 Mainspring Lane\nCoventry CV1 5FB');
  await page.getByLabel('Tax number').fill('VAT GB 123 4567 89');
  const body = { version, name: 'Escapement Supplies', address, ...promises };
  await client.call('saveShopDetails', { body });
  await page.getByRole('button', { name: 'Save details' }).click();
  await page.getByText('Saved by another admin').waitFor();
}

const deliveryZones: Partial<ShippingEdit> = {
  shipsFrom: 'GB',
  zones: [
    {
      name: 'Great Britain',
      countries: ['GB'],
      rates: [
        { name: 'Standard', by: 'flat', price: 3.95, freeFrom: 60, days: [2, 4] },
        { name: 'Next working day', by: 'flat', price: 6.95, days: [1, 1] },
        { name: 'From the workshop', by: 'flat', price: 0, pickup: '1 Mill Lane, York, Monday to Friday' },
      ],
    },
    {
      name: 'Northern Ireland, Highlands and Islands',
      countries: ['GB'],
      postcodes: ['BT', 'HS', 'KW15', 'KW16', 'KW17', 'ZE'],
      rates: [{ name: 'Standard', by: 'flat', price: 7.95, days: [3, 6] }],
    },
    {
      name: 'Rest of the world',
      countries: ['*'],
      rates: [
        { name: 'Air mail', by: 'weight', to: 1000, price: 14.95, days: [5, 12] },
        { name: 'Air parcel', by: 'weight', from: 1000, to: 5000, price: 29.95, days: [5, 12] },
      ],
    },
  ],
};

async function saveZones(shop: TestShop, edit: Partial<ShippingEdit>): Promise<void> {
  const client = shop.client(await shop.admin());
  await client.call('saveShipping', { body: { ...(await client.call('getShipping', {})), ...edit } });
}

/** Reloads the page with delivery set up. Leaves the shop without zones, which other screens expect. */
async function showDelivery(shop: TestShop, page: Page, show: () => Promise<void>): Promise<void> {
  await saveZones(shop, deliveryZones);
  await page.reload();
  await waitForHydration(page);
  await show();
  await saveZones(shop, { zones: [] });
}

const clarasHome = {
  name: 'Clara Checkout',
  line1: '12 Escapement Row',
  city: 'Coventry',
  postcode: 'CV1 5FB',
  country: 'GB',
};

const findWhere = (page: Page) => page.getByRole('region', { name: 'Delivery address' });

/** Fills in the checkout. Then the price of the delivery changes, so it is rejected. */
async function showCheckoutConflict(shop: TestShop, page: Page): Promise<void> {
  const where = findWhere(page);
  await where.getByLabel('Address', { exact: true }).fill(clarasHome.line1);
  await where.getByLabel('Postcode').fill(clarasHome.postcode);
  await page.getByLabel('Standard').waitFor();
  const { zones } = await shop.client().call('getShipping', {});
  await saveZones(shop, {
    zones: zones.map((zone) => ({
      ...zone,
      rates: zone.rates.map((rate) => (rate.price > 0 ? { ...rate, price: rate.price + 1 } : rate)),
    })),
  });
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByText('The total has changed from').waitFor();
}

/** Saves a checkout and shows the card form. */
async function showChosen(shop: TestShop, page: Page, clara: TestUser, id: string): Promise<void> {
  const client = shop.client(clara);
  const params = { id };
  const { country, postcode } = clarasHome;
  const { rates } = await client.call('quotePurchase', { params, query: { country, postcode } });
  const rate = rates.find(({ name }) => name === 'Standard')?._id ?? '';
  const { price } = await client.call('quotePurchase', { params, query: { country, postcode, rate } });
  const { version } = await client.call('getPurchase', { params });
  const remark = 'Please ring twice.';
  await client.call('saveCheckout', {
    params,
    body: { version, shipTo: clarasHome, rate, remark, price },
  });
  await page.reload();
  await page.locator('iframe[title="Secure card payment input frame"]').waitFor();
}

/** Leaves the shop without zones, which other screens expect. */
async function showDeliveryConflict(shop: TestShop, page: Page): Promise<void> {
  const client = shop.client(await shop.admin());
  const save = async (zones: ShippingEdit['zones']) =>
    client.call('saveShipping', { body: { ...(await client.call('getShipping', {})), zones } });
  await page.getByRole('button', { name: 'Add a zone yourself' }).click();
  await page.getByLabel('Zone name').fill('European Union');
  await page.getByLabel('Add a country').fill('EU');
  await page.getByLabel('Price in').fill('12.95');
  await page.getByRole('group', { name: 'Rate 1' }).getByLabel('Name').fill('Parcel');
  await page.getByLabel('Sent from').selectOption('DE');
  await save([{ name: 'Germany', countries: ['DE'], rates: [] }]);
  await page.getByRole('button', { name: 'Save delivery' }).click();
  await page.getByText('What another admin has saved meanwhile').waitFor();
  await save([]);
}

/** Reloads the page of a purchase with a dispute, and then deletes it. */
async function showDispute({ database: { db } }: TestShop, page: Page, purchase: Purchase): Promise<void> {
  const id = 'du_1';
  await db
    .insertInto('dispute')
    .values({
      id,
      purchase_id: purchase._id,
      intent: 'pi_1',
      amount: 1,
      currency: 'USD',
      reason: 'product_not_received',
      status: 'needs_response',
      is_open: 1,
      respond_by: Date.now() + 7 * 86_400_000,
      created_at: Date.now(),
    })
    .execute();
  await page.reload();
  await page.getByText('The customer has disputed this payment').first().waitFor();
  await db.deleteFrom('dispute').where('id', '=', id).execute();
}

/** Reloads the list of contact messages with two of them, and then deletes them. */
async function showMessages({ database: { db } }: TestShop, page: Page): Promise<void> {
  const texts = [
    'Do you repair fusee chains? I have two, of about 1840, each with a broken link.',
    'Is the pivot gauge in stock again before Christmas?\nI need three.',
  ];
  const emails = ['ines@mail.example', 'tom.gramham@mail.example'];
  const ids = texts.map(() => uuidv7());
  await db
    .insertInto('contact_message')
    .values(
      texts.map((text, index) => ({
        id: ids[index] ?? '',
        email: emails[index] ?? '',
        text,
        created_at: Date.now(),
      })),
    )
    .execute();
  await page.reload();
  await page.getByText('fusee chains').waitFor();
  await db.deleteFrom('contact_message').where('id', 'in', ids).execute();
}

/** Reloads the Health page with recorded failures, and then deletes them. */
async function showFailures(shop: TestShop, page: Page): Promise<void> {
  const { db } = shop.database;
  const now = Date.now();
  const createFailure = (what: string, times: number) => ({
    what,
    times,
    hour: Math.floor(now / 3_600_000),
    last_at: now,
    request_id: '0d0f2f0e-6c1b-4b7e-9d39-3f6d1d5c9a11',
  });
  await db
    .insertInto('error_count')
    .values([
      createFailure(
        'The payment provider cannot be reached. Nothing has changed: try again in a moment.',
        12,
      ),
      createFailure('a page could not be rendered', 1),
    ])
    .execute();
  const paid = { name: 'paid', at: now - 3 * 86_400_000 };
  await refuseMessages(shop);
  const before = await db.deleteFrom('last_time').returningAll().execute();
  await db.insertInto('last_time').values(paid).execute();
  await page.reload();
  await page.getByRole('heading', { name: /^\d problems$/ }).waitFor();
  await db.deleteFrom('error_count').execute();
  await db.deleteFrom('mail').where('state', '=', 'failed').execute();
  await db.deleteFrom('last_time').execute();
  if (before.length > 0) await db.insertInto('last_time').values(before).execute();
}

/** Adds two messages that the mail server has refused. */
async function refuseMessages({ database }: TestShop): Promise<void> {
  const refusals: [recipient: string, response: string][] = [
    [
      'tom.gramham@mail.example',
      '550 5.1.1 <tom.gramham@mail.example>: Recipient address rejected: User unknown',
    ],
    ['ines@mail.example', '552 5.2.2 The recipient’s mailbox is full'],
  ];
  for (const [recipient, response] of refusals) {
    const id = uuidv7();
    await addMail(database.db, [
      { id, kind: 'order shipped', recipient, about: id, dueAt: Date.now() + 60_000 },
    ]);
    const mail = { id, attempts: 0, give_up_at: 0 };
    await recordAttempt(database, mail, { state: 'failed', response });
  }
}
