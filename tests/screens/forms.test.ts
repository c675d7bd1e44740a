import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buy } from '../support/payments.ts';
import { findButton, pressTwice } from './buttons.ts';
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
    ...{ type: 'urn:problem:test', title: 'Test', status, requestId: 'test' },
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
  /** The page with the form. */
  path: (order: { number: string; _id: string }) => string;
  label: string;
  typed: string;
  submit: string;
  api: RegExp;
  method: string;
  done: string;
};

const forms: Record<string, FormCase> = {
  note: {
    path: ({ number }) => `/dashboard/orders/${number}`,
    label: 'New note',
    typed: 'Rang twice.',
    submit: 'Save note',
    ...{ api: /\/api\/orders\/[^/]+\/notes$/, method: 'POST' },
    done: 'Note saved.',
  },
  delivery: {
    path: ({ number }) => `/dashboard/orders/${number}?edit=delivery`,
    label: 'Address (optional)',
    typed: '9 Escapement Row',
    submit: 'Save delivery details',
    ...{ api: /\/api\/purchases\/[^/]+\/address$/, method: 'PUT' },
    done: 'Delivery details saved.',
  },
  return: {
    path: ({ number, _id }) => `/dashboard/orders/${number}?return=${_id}`,
    label: 'Pieces that came back',
    typed: '1',
    submit: 'Put into stock',
    ...{ api: /\/api\/orders\/[^/]+\/returns$/, method: 'POST' },
    done: 'The pieces are back in stock.',
  },
};

/** A paid and shipped order, and its admin. */
async function prepare() {
  const { shop } = stage;
  const [admin, customer] = [await shop.admin(), await shop.signUp()];
  const { order } = await buy(shop, customer, await shop.addProduct());
  await shop.client(admin).call('shipOrder', {
    params: { id: order._id },
    body: { orderStatus: 'sipping' },
  });
  return { admin, order };
}

const typedIn = (page: Page, { label }: FormCase) => page.getByLabel(label, { exact: true }).inputValue();

test.each(Object.entries(forms))(
  'the form %s keeps what was typed, whatever the answer is',
  async (_, form) => {
    const { admin, order } = await prepare();
    const page = await stage.open({ as: admin, expected: [/Failed to load resource|failed request/] });
    await openPath(page, form.path(order));
    await page.getByLabel(form.label, { exact: true }).fill(form.typed);
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
    await page.getByText('what you typed is still here').waitFor();
    await expect.poll(() => typedIn(page, form)).toBe(form.typed);
    await findButton(page, form.submit).click();
    await page.getByText(form.done).waitFor();
  },
);

test.each(Object.entries(forms))('a double press sends the form %s once', async (_, form) => {
  const { admin, order } = await prepare();
  const page = await stage.open({ as: admin });
  await openPath(page, form.path(order));
  await page.getByLabel(form.label, { exact: true }).fill(form.typed);
  const until = () => page.getByText(form.done).waitFor();
  const { method, api } = form;
  expect(await pressTwice(page, findButton(page, form.submit), { method, path: api, until })).toBe(1);
});

test.each(Object.entries(forms))('without scripts, the form %s is sent, too', async (_, form) => {
  const { admin, order } = await prepare();
  const page = await stage.open({ as: admin, javaScriptEnabled: false });
  await page.goto(form.path(order));
  await page.getByLabel(form.label, { exact: true }).fill(form.typed);
  await findButton(page, form.submit).click();
  await page.getByText(form.done).waitFor();
});
