import { randomUUID } from 'node:crypto';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from '../support/customer.ts';
import { buyTogether, failRefund, unassignRefund } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { addAuthenticator } from './authenticator.ts';
import { findButton, pressTwice } from './buttons.ts';
import { fillFields } from './fields.ts';
import { createPhoto } from './image-files.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

const problem = (status: number) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: 'urn:problem:test',
    title: 'Test',
    status,
    requestId: 'test',
    detail: `Rejected with ${status}.`,
    ...(status === 409 || status === 402 ? { data: { version: 1 } } : {}),
  }),
});

const rejections: [name: string, answer: (route: Route) => Promise<void>, message: RegExp][] = [
  ['402', (route) => route.fulfill(problem(402)), /Rejected with 402/],
  ['409', (route) => route.fulfill(problem(409)), /Rejected with 409/],
  ['422', (route) => route.fulfill(problem(422)), /Rejected with 422/],
  ['an unknown error', (route) => route.fulfill({ status: 500, body: 'no problem' }), /./],
  ['no connection', (route) => route.abort(), /./],
];

type FormCase = {
  /** Changes the order before the page is opened. */
  arrange?: (prepared: Prepared) => Promise<unknown>;
  /** The page with the form. */
  path: (prepared: Prepared) => string;
  /** The field whose text must not be lost, unless the form has only a button. */
  label?: string;
  /** The text for the field `label`. By default, the user's password, which is never kept. */
  typed?: string;
  /** A choice that the form needs, too. */
  choose?: string;
  /** Prepares the browser, once. */
  open?: (page: Page) => Promise<unknown>;
  /** Opens the form, or fills in its other fields. A file has to be chosen again after signing in. */
  prepare?: (page: Page, prepared: Prepared) => Promise<void>;
  submit: string;
  /** The button's name without scripts, if it differs. */
  plainSubmit?: string;
  api: RegExp;
  method: string;
  done: string;
  /** The page's message after a post without scripts, if it differs. */
  posted?: string;
  /** The form is not shown without scripts. */
  needsScripts?: true;
};

const forms: Record<string, FormCase> = {
  profile: {
    path: () => '/dashboard',
    label: 'Education',
    typed: 'Clockmaker’s school',
    prepare: (page) =>
      fillFields(page, {
        Address: '1 Mainspring Lane',
        Phone: '555 0100',
        LinkedIn: 'in/ada',
      }),
    submit: 'Save profile',
    api: /\/api\/user\/[^/]+$/,
    method: 'PUT',
    done: 'Profile information added',
    posted: 'Saved. Your next order form',
  },
  note: {
    path: ({ order }) => `/dashboard/orders/${order.number}`,
    label: 'New note',
    typed: 'Rang twice.',
    submit: 'Save note',
    api: /\/api\/orders\/[^/]+\/notes$/,
    method: 'POST',
    done: 'Note saved.',
  },
  delivery: {
    path: ({ order }) => `/dashboard/orders/${order.number}?edit=delivery`,
    label: 'Address (optional)',
    typed: '9 Escapement Row',
    submit: 'Save delivery details',
    api: /\/api\/purchases\/[^/]+\/address$/,
    method: 'PUT',
    done: 'Delivery details saved.',
  },
  return: {
    path: ({ order }) => `/dashboard/orders/${order.number}?return=${order._id}`,
    label: 'Pieces that came back',
    typed: '1',
    submit: 'Put into stock',
    api: /\/api\/orders\/[^/]+\/returns$/,
    method: 'POST',
    done: 'The pieces are back in stock.',
  },
  'refund-all': {
    path: ({ order }) => `/dashboard/orders/${order.number}?refund=all`,
    label: 'Note (optional)',
    typed: 'They moved abroad.',
    choose: 'Other reason',
    submit: 'Refund USD 24.00',
    api: /\/api\/purchases\/[^/]+\/refunds$/,
    method: 'POST',
    done: 'Refund requested.',
  },
  refund: {
    path: ({ order }) => `/dashboard/orders/${order.number}?refund=${order._id}`,
    label: 'Note (optional)',
    typed: 'A scratch.',
    choose: 'Other reason',
    submit: 'Refund USD 12.50',
    plainSubmit: 'Refund',
    api: /\/api\/orders\/[^/]+\/refunds$/,
    method: 'POST',
    done: ' requested.',
  },
  assign: {
    arrange: ({ admin, order }) => unassignRefund(stage.shop, admin, order),
    path: ({ order }) => `/dashboard/orders/${order.number}`,
    label: 'Amount',
    typed: '1',
    submit: 'Assign',
    api: /\/api\/refunds\/[^/]+\/lines$/,
    method: 'PUT',
    done: 'The refund is assigned.',
  },
  ship: {
    path: ({ order }) => `/dashboard/orders/${order.number}`,
    label: 'Carrier (optional)',
    typed: 'A courier',
    submit: 'Ship',
    api: /\/api\/shipments$/,
    method: 'POST',
    done: 'shipped.',
    posted: 'Shipping details saved.',
  },
  tracking: {
    path: ({ order, parcel }) => `/dashboard/orders/${order.number}?tracking=${order._id}&parcel=${parcel}`,
    label: 'Carrier (optional)',
    typed: 'A courier',
    submit: 'Save tracking',
    api: /\/api\/orders\/[^/]+$/,
    method: 'PUT',
    done: ' saved.',
  },
  owed: {
    path: ({ order, failed }) => `/dashboard/orders/${order.number}?owed=${failed}`,
    label: 'Note (optional)',
    typed: 'By bank transfer.',
    choose: 'It was paid back another way',
    submit: 'Save',
    api: /\/api\/refunds\/[^/]+\/settlement$/,
    method: 'POST',
    done: 'Saved.',
  },
  'add-product': {
    path: () => '/dashboard/addProduct',
    label: 'Description',
    typed: 'Opens holes.',
    async prepare(page) {
      await fillFields(page, {
        Name: 'Reamer',
        Price: '8',
        'Order quantity': '1',
        'Available quantity': '5',
      });
      await page.getByLabel('Image', { exact: true }).setInputFiles(await createPhoto());
    },
    submit: 'Add Product',
    api: /\/api\/product$/,
    method: 'POST',
    done: 'Product Added Successfully!',
  },
  'edit-product': {
    path: ({ tool }) => `/dashboard/products/${tool._id}`,
    label: 'Description',
    typed: 'Opens holes.',
    submit: 'Save changes',
    api: /\/api\/products\/[^/]+$/,
    method: 'PATCH',
    done: 'Changes saved.',
  },
  'archive-product': {
    path: ({ tool }) => `/dashboard/products/${tool._id}`,
    async prepare(page) {
      const form = page.locator('details').filter({ hasText: 'Take it off sale' });
      if ((await form.getAttribute('open')) === null) await form.locator('summary').click();
    },
    submit: 'Archive the product',
    api: /\/api\/products\/[^/]+$/,
    method: 'PATCH',
    done: 'is archived.',
    posted: 'Product archived.',
  },
  stock: {
    path: ({ tool }) => `/dashboard/products/${tool._id}/stock`,
    label: 'Pieces delivered',
    typed: '5',
    submit: 'Record delivery',
    api: /\/api\/products\/[^/]+\/stock$/,
    method: 'POST',
    done: 'Recorded +5',
    posted: 'Change recorded.',
  },
  'shop-details': {
    path: () => '/dashboard/shop',
    label: 'Address (optional)',
    typed: '9 Escapement Row',
    // The second post is an edit, too.
    prepare: (page) => fillFields(page, { 'Tax number (optional)': randomUUID() }),
    submit: 'Save details',
    api: /\/api\/shop$/,
    method: 'PUT',
    done: 'Saved',
  },
  shipping: {
    // A zone without a rate leaves delivery off, for the other forms.
    arrange: async ({ admin }) => {
      const client = stage.shop.client(admin);
      const zones = [{ name: 'Britain', countries: ['GB'], rates: [] }];
      await client.call('saveShipping', { body: { ...(await client.call('getShipping', {})), zones } });
    },
    path: () => '/dashboard/delivery',
    label: 'Zone name',
    typed: 'Northern Ireland',
    submit: 'Save delivery',
    api: /\/api\/shipping$/,
    method: 'PUT',
    done: 'Saved',
    posted: 'Delivery saved.',
  },
  'report-review': {
    path: ({ tool }) => `/purchase/${tool._id}`,
    label: 'What is wrong with it?',
    typed: 'Rude.',
    async prepare(page) {
      const form = page.locator('details').filter({ hasText: 'Report the review' });
      if ((await form.getAttribute('open')) === null) await form.locator('summary').click();
    },
    submit: 'Send report',
    api: /\/api\/reviews\/[^/]+\/reports$/,
    method: 'POST',
    done: 'The shop’s admins will look at this review.',
    posted: 'will look at the review that you reported',
  },
  'two-factor-set-up': {
    path: () => '/dashboard/two-factor',
    label: 'Your password',
    submit: 'Set it up',
    api: /\/api\/auth\/two-factor\/enable$/,
    method: 'POST',
    done: 'Scan this with your authenticator app',
    needsScripts: true,
  },
  passkey: {
    path: () => '/dashboard/passkeys',
    label: 'Name',
    typed: 'My phone',
    open: addAuthenticator,
    prepare: (page, { admin }) => page.getByLabel('Password', { exact: true }).fill(admin.password),
    submit: 'Add a passkey',
    api: /\/api\/auth\/passkey\/generate-register-options$/,
    method: 'POST',
    done: 'The passkey was added.',
    needsScripts: true,
  },
};

const plainForms = Object.entries(forms).filter(([, { needsScripts }]) => !needsScripts);

type Prepared = Awaited<ReturnType<typeof prepare>>;

/** A paid order of two tools. One tool is shipped, and a refund of the other has failed. */
async function prepare() {
  const { shop } = stage;
  // All sign-ups come from one address.
  await shop.database.db.deleteFrom('rate_limit').execute();
  const admin = await shop.admin();
  const tools = [await shop.addProduct({ price: 12.5 }), await shop.addProduct({ price: 12.5 })];
  const { orders } = await buyTogether(
    shop,
    // Each customer may open only a few payments.
    await shop.signUp(),
    tools.map((tool) => [tool, 1]),
  );
  const [order, other] = orders;
  if (!order || !other) return expect.unreachable();
  await shop.client(admin).call('shipOrder', {
    params: { id: order._id },
    body: { orderStatus: 'sipping' },
  });
  const { shipments = [] } = await shop.client(admin).call('getOrder', { params: { id: order._id } });
  const tool = await shop.addProduct();
  const author = shop.client(await shop.signUpConfirmed());
  await author.call('addReview', {
    body: { product: tool._id, rating: 1, reviews: 'Bent.', img: tool.img },
  });
  const failed = await failRefund(shop, admin, other);
  return {
    admin,
    order,
    parcel: shipments[0]?._id ?? expect.unreachable(),
    tool,
    failed,
  };
}

async function fill(page: Page, form: FormCase, prepared: Prepared): Promise<void> {
  const { label, typed = prepared.admin.password, choose } = form;
  await form.prepare?.(page, prepared);
  if (label) await page.getByLabel(label, { exact: true }).filter({ visible: true }).first().fill(typed);
  if (choose) await page.getByLabel(choose).check();
}

const typedIn = async (page: Page, { label }: FormCase) =>
  label && (await page.getByLabel(label, { exact: true }).filter({ visible: true }).first().inputValue());

async function endSession({ email }: TestUser): Promise<void> {
  await stage.shop.database.db
    .deleteFrom('session')
    .where('userId', 'in', (eb) => eb.selectFrom('user').select('id').where('email', '=', email))
    .execute();
}

async function signInAgain(page: Page, { email, password }: TestUser): Promise<void> {
  await page.getByRole('heading', { name: 'Login', level: 1 }).waitFor();
  await signIn(page, email, password);
}

test('a form that is only a button leads to the sign-in after a 401, and from there back to its page', async () => {
  const [tom, tool] = [await stage.shop.signUpConfirmed(), await stage.shop.addProduct({ a_quantity: 0 })];
  const page = await stage.open({ as: tom, expected: [/Failed to load resource|failed request/] });
  await openPath(page, `/purchase/${tool._id}`);
  await endSession(tom);
  await findButton(page, 'Tell me when it’s back').click();
  await page.getByText('You have been signed out.').waitFor();
  await signInAgain(page, tom);
  await findButton(page, 'Tell me when it’s back').click();
  await findButton(page, 'Unsubscribe').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/purchase/${tool._id}`);
});

test.each(Object.entries(forms))(
  'the form %s keeps what was typed, whatever the answer is, and a double press sends it once',
  async (_, form) => {
    const prepared = await prepare();
    const { admin } = prepared;
    await form.arrange?.(prepared);
    const page = await stage.open({ as: admin, expected: [/Failed to load resource|failed request/] });
    await openPath(page, form.path(prepared));
    await form.open?.(page);
    await fill(page, form, prepared);
    const typed = await typedIn(page, form);
    for (const [name, answer, message] of rejections) {
      let calls = 0;
      const reply = async (route: Route) => {
        if (route.request().method() !== form.method) return route.fallback();
        calls += 1;
        await answer(route);
      };
      await page.route(form.api, reply);
      await findButton(page, form.submit).click();
      await expect.poll(() => calls, { message: name }).toBe(1);
      // A form with one field shows its error at the field.
      const error = page.getByRole('alert').or(page.locator('[id$="-error"]'));
      await error.filter({ hasText: message }).first().waitFor();
      // The page may be loaded again through the same route.
      await expect.poll(() => findButton(page, form.submit).getAttribute('aria-busy')).not.toBe('true');
      await page.unroute(form.api, reply);
      expect(await typedIn(page, form), name).toBe(typed);
    }
    await endSession(admin);
    await findButton(page, form.submit).click();
    await signInAgain(page, admin);
    if (form.typed) {
      await page.getByText('what you typed is still here').waitFor();
      await expect.poll(() => typedIn(page, form)).toBe(typed);
      await form.prepare?.(page, prepared);
    } else await fill(page, form, prepared);
    const until = () => page.getByText(form.done).first().waitFor();
    const { method, api } = form;
    expect(await pressTwice(page, findButton(page, form.submit), { method, path: api, until })).toBe(1);
  },
);

test.each(plainForms)('without scripts, the form %s is sent, too', async (_, form) => {
  const prepared = await prepare();
  const { admin } = prepared;
  await form.arrange?.(prepared);
  const page = await stage.open({ as: admin, javaScriptEnabled: false });
  await page.goto(form.path(prepared));
  await fill(page, form, prepared);
  await findButton(page, form.plainSubmit ?? form.submit).click();
  await page.getByText(form.posted ?? form.done).waitFor();
});
