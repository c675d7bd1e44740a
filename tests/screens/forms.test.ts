import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buyTogether, failRefund, unassignRefund } from '../support/payments.ts';
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
  /** Changes the order first. */
  arrange?: (prepared: Prepared) => Promise<unknown>;
  /** The page with the form. */
  path: (prepared: Prepared) => string;
  /** The field whose text must not be lost, unless the form has only a button. */
  label?: string;
  typed?: string;
  /** A choice that it needs, too. */
  choose?: string;
  /** Opens the form, or fills in its other fields. A file has to be chosen again after signing in. */
  prepare?: (page: Page) => Promise<void>;
  submit: string;
  /** The button's name without scripts, if it differs. */
  plainSubmit?: string;
  api: RegExp;
  method: string;
  done: string;
  /** What the page says after a post without scripts, if that differs. */
  posted?: string;
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
    path: ({ order }) => `/dashboard/orders/${order.number}?tracking=${order._id}`,
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
};

type Prepared = Awaited<ReturnType<typeof prepare>>;

/** A paid order of two tools. One is shipped, and the refund of another has failed. */
async function prepare() {
  const { shop } = stage;
  // All sign-ups come from one address.
  await shop.database.db.deleteFrom('rate_limit').execute();
  const admin = await shop.admin();
  const tools = [await shop.addProduct({ price: 12.5 }), await shop.addProduct({ price: 12.5 })];
  const { orders } = await buyTogether(
    shop,
    // Each may open only some payments.
    await shop.signUp(),
    tools.map((tool) => [tool, 1]),
  );
  const [order, other] = orders;
  if (!order || !other) return expect.unreachable();
  await shop.client(admin).call('shipOrder', {
    params: { id: order._id },
    body: { orderStatus: 'sipping' },
  });
  const tool = await shop.addProduct();
  return { admin, order, tool, failed: await failRefund(shop, admin, other) };
}

async function fill(page: Page, { label, typed = '', choose, prepare }: FormCase): Promise<void> {
  await prepare?.(page);
  if (label) await page.getByLabel(label, { exact: true }).first().fill(typed);
  if (choose) await page.getByLabel(choose).check();
}

const typedIn = async (page: Page, { label }: FormCase) =>
  label && (await page.getByLabel(label, { exact: true }).first().inputValue());

test.each(Object.entries(forms))(
  'the form %s keeps what was typed, whatever the answer is',
  async (_, form) => {
    const prepared = await prepare();
    const { admin } = prepared;
    await form.arrange?.(prepared);
    const page = await stage.open({ as: admin, expected: [/Failed to load resource|failed request/] });
    await openPath(page, form.path(prepared));
    await fill(page, form);
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
      await page.getByRole('alert').filter({ hasText: message }).first().waitFor();
      // The page may be loaded again through the same route.
      await expect.poll(() => findButton(page, form.submit).getAttribute('aria-busy')).not.toBe('true');
      await page.unroute(form.api, reply);
      expect(await typedIn(page, form), name).toBe(form.typed);
    }
    await stage.shop.database.db
      .deleteFrom('session')
      .where('userId', 'in', (eb) => eb.selectFrom('user').select('id').where('email', '=', admin.email))
      .execute();
    await findButton(page, form.submit).click();
    await page.getByRole('heading', { name: 'Login', level: 1 }).waitFor();
    await page.getByLabel('Email').fill(admin.email);
    await page.getByLabel('Password').fill(admin.password);
    await findButton(page, 'Login').click();
    if (form.label) await page.getByText('what you typed is still here').waitFor();
    await expect.poll(() => typedIn(page, form)).toBe(form.typed);
    await form.prepare?.(page);
    await findButton(page, form.submit).click();
    await page.getByText(form.done).first().waitFor();
  },
);

test.each(Object.entries(forms))('a double press sends the form %s once', async (_, form) => {
  const prepared = await prepare();
  const { admin } = prepared;
  await form.arrange?.(prepared);
  const page = await stage.open({ as: admin });
  await openPath(page, form.path(prepared));
  await fill(page, form);
  const until = () => page.getByText(form.done).first().waitFor();
  const { method, api } = form;
  expect(await pressTwice(page, findButton(page, form.submit), { method, path: api, until })).toBe(1);
});

test.each(Object.entries(forms))('without scripts, the form %s is sent, too', async (_, form) => {
  const prepared = await prepare();
  const { admin } = prepared;
  await form.arrange?.(prepared);
  const page = await stage.open({ as: admin, javaScriptEnabled: false });
  await page.goto(form.path(prepared));
  await fill(page, form);
  await findButton(page, form.plainSubmit ?? form.submit).click();
  await page.getByText(form.posted ?? form.done).waitFor();
});
