import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import type { Purchase } from '../../contract/orders/purchases.ts';
import { buyTogether, chargeBack, placeOrder, refundOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let ada: TestUser;
let tom: TestUser;
let short: Purchase;
let long: Purchase;

const hostileName = `<script>alert(1)</script>${'x'.repeat(70)}`;
const maxLines = 50;

beforeAll(async () => {
  stage = await openStage({ demo: false });
  const { shop } = stage;
  [ada, tom] = [await shop.admin(), await shop.signUp('Tom <b>Graham')];
  const products = [await shop.addProduct({ name: hostileName, price: 12.35 })];
  for (let count = 1; count < maxLines; count++)
    products.push(await shop.addProduct({ name: `Broach ${count}`, price: 4 }));
  short = await buyTogether(shop, tom, [[products[0] ?? (await shop.addProduct()), 3]]);
  long = await buyTogether(
    shop,
    tom,
    products.map((product) => [product, 1]),
  );
  const address = '1 Mill Lane <i>\nYork';
  await shop.database.db.updateTable('purchase').set({ address }).execute();
  // The package would otherwise download this file.
  const file = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
  const wasmBinary = new Uint8Array(readFileSync(file)).buffer;
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
});
afterAll(() => stage?.close());

/** Opens a page for printing, with about a printer's resolution. */
async function openPrint(kind: 'slips' | 'invoices', purchases: Purchase[], as = ada): Promise<Page> {
  const page = await stage.open({ as, colorScheme: 'dark', deviceScaleFactor: 3 });
  const orders = purchases.map(({ number }) => number).join(',');
  await openPath(page, `/dashboard/print/${kind}?orders=${orders}`);
  return page;
}

/** The number of pages that the browser prints. */
async function countPages(page: Page, format: 'A4' | 'Letter'): Promise<number> {
  const pdf = await page.pdf({ format });
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

test.each(['slips', 'invoices'] as const)('a scanner reads the barcodes of printed %s', async (kind) => {
  const page = await openPrint(kind, [short, long]);
  await page.emulateMedia({ media: 'print' });
  for (const { number } of [short, long]) {
    const sheet = page.getByRole('article', { name: number });
    const image = await sheet.locator('div').first().screenshot();
    const found = await readBarcodes(new Blob([new Uint8Array(image)]), { formats: ['Code128'] });
    expect(found.map(({ text }) => text)).toEqual([number]);
  }
});

test.each(['A4', 'Letter'] as const)(
  'on %s, each purchase starts a page, and a long one takes several',
  async (format) => {
    for (const kind of ['slips', 'invoices'] as const) {
      expect(await countPages(await openPrint(kind, [short]), format)).toBe(1);
      const pages = await countPages(await openPrint(kind, [long]), format);
      expect(pages).toBeGreaterThan(1);
      expect(await countPages(await openPrint(kind, [short, long]), format)).toBe(1 + pages);
    }
  },
);

test('an invoice shows the amount paid, and text from customers is escaped', async () => {
  const page = await openPrint('invoices', [short], tom);
  const invoice = page.getByRole('article');
  const text = await readText(invoice);
  for (const part of [short.number, hostileName, 'Tom <b>Graham', '1 Mill Lane <i> York', tom.email])
    expect(text).toContain(part);
  expect(text).toMatch(/3USD 12\.35USD 37\.05/);
  expect(text).toMatch(/TotalUSD 37\.05/);
  expect(text).toMatch(/Paid by card on \d\d \w{3} \d{4}/);
  await expect.poll(() => invoice.evaluate((sheet) => sheet.scrollWidth - sheet.clientWidth)).toBe(0);
});

test('a packing slip has no prices and only the sheets are printed, black on white', async () => {
  const page = await openPrint('slips', [short]);
  await page.getByText('1 packing slip').waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  // biome-ignore lint/performance/useDomNodeTextContent: only `innerText` leaves out what is not rendered
  const printed = (await page.locator('body').innerText()).toLowerCase();
  expect(printed.split(hostileName.toLowerCase())).toHaveLength(2);
  for (const absent of ['USD', '37.05', 'Print', 'Packing slips', 'Dashboard', 'signOut', 'Copyright'])
    expect(printed).not.toContain(absent.toLowerCase());
  const colors = await page.getByRole('article').evaluate((sheet) => {
    const { color, backgroundColor } = getComputedStyle(sheet);
    return [color, backgroundColor];
  });
  expect(colors).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
});

test('a packing slip counts only what is still to be packed, and says what was shipped or refunded', async () => {
  const { shop } = stage;
  const names = ['Puller', 'Pegwood', 'Winder', 'Broach', 'Reamer', 'Rasp', 'Loupe'];
  const lines: Parameters<typeof buyTogether>[2] = [];
  for (const name of names) lines.push([await shop.addProduct({ name, price: 4, a_quantity: 20 }), 10]);
  const purchase = await buyTogether(shop, tom, lines);
  const admin = shop.client(ada);
  const paramsOf = (name: string) => ({
    id: purchase.orders.find(({ product }) => product === name)?._id ?? '',
  });
  const refund = (name: string, body: { amount?: number; quantity?: number; restock?: number }) =>
    refundOrder(admin, { params: paramsOf(name), body: { reason: 'other', ...body } });
  await refund('Puller', { amount: 4 });
  await refund('Pegwood', { amount: 4.25, quantity: 5, restock: 4 });
  await refund('Winder', {});
  await refund('Broach', { amount: 5, quantity: 1 });
  await refund('Rasp', { restock: 10 });
  await refund('Loupe', { amount: 39, quantity: 10 });
  await refund('Reamer', { amount: 1 });
  const { db } = shop.database;
  // As if the refund had been made at the provider.
  await db
    .updateTable('refund_line')
    .set({ quantity: null })
    .where('order_line_id', '=', paramsOf('Puller').id)
    .execute();
  // As after a refund that failed later: its pieces stay removed.
  await db
    .updateTable('order_line')
    .set({ refunded: 0, owed: 4000 })
    .where('id', '=', paramsOf('Rasp').id)
    .execute();
  await admin.call('shipOrder', { params: paramsOf('Broach'), body: { orderStatus: 'sipping' } });
  const page = await openPrint('slips', [purchase]);
  const readRow = async (name: string) => {
    const row = page.getByRole('row').filter({ hasText: name });
    return [
      await row.locator('td').allTextContents(),
      await row.locator('td:first-child > span:empty').count(),
    ];
  };
  expect(await Promise.all(names.map(readRow))).toEqual([
    [['', 'PullerUSD 4.00 refunded: check the order before packing', '10'], 1],
    [['', 'Pegwood5 pieces refunded', '5 of 10'], 1],
    [['', 'WinderRefunded: do not pack', '10'], 0],
    [[expect.stringMatching(/^shipped on \d\d \w{3} \d{4}$/), 'Broach1 piece refunded', '9 of 10'], 0],
    [['', 'Reamer', '10'], 1],
    [['', 'RaspRefunded: do not pack', '10'], 0],
    [['', 'LoupeRefunded: do not pack', '10'], 0],
  ]);
  const slip = page.getByRole('article');
  expect(await readText(slip)).toContain('3 tools, 25 pieces');

  for (const name of ['Puller', 'Pegwood', 'Reamer'])
    await admin.call('shipOrder', { params: paramsOf(name), body: { orderStatus: 'sipping' } });
  await page.reload();
  await slip.getByText('Nothing to pack').waitFor();

  const disputed = await buyTogether(shop, tom, lines.slice(0, 1), 'pm_card_createDispute');
  const isDisputed = async () =>
    (await admin.call('getPurchase', { params: { id: disputed._id } })).orders[0]?.disputed;
  await expect.poll(isDisputed).toBe(true);
  const warning = 'The payment is disputed: check the order before packing';
  await (await openPrint('slips', [disputed])).getByText(warning).waitFor();
  await chargeBack(shop, disputed._id);
  await (await openPrint('slips', [disputed])).getByText('Charged back: do not pack').waitFor();
});

test.each([
  ['A4', 210],
  ['Letter', 216],
])('on %s, an email address and the payment take one line each', async (_format, widthMm) => {
  const { shop } = stage;
  const purchase = await buyTogether(shop, tom, [[await shop.addProduct(), 1]]);
  const email = 'friedrich.uhrmacher@clock-repairs.example.com';
  await shop.database.db
    .updateTable('purchase')
    .set({ user_id: null, guest_email: email })
    .where('id', '=', purchase._id)
    .execute();
  const page = await openPrint('invoices', [purchase]);
  // Without the margins.
  await page.setViewportSize({ width: Math.floor(((widthMm - 30) / 25.4) * 96), height: 1000 });
  await page.emulateMedia({ media: 'print' });
  const countLines = (text: string | RegExp) =>
    page.getByText(text).evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
  expect([await countLines(email), await countLines(/^Paid by card on/)]).toEqual([1, 1]);
});

test('invoices show the tax number with a label, and packing slips do not show it', async () => {
  const { shop } = stage;
  const admin = shop.client(ada);
  const details = await admin.call('getShopDetails', {});
  const { name, address, version } = details;
  await admin.call('saveShopDetails', { body: { name, address, version, taxId: 'DE123456789' } });
  const sheetOf = async (kind: 'slips' | 'invoices') => (await openPrint(kind, [short])).getByRole('article');
  expect(await readText(await sheetOf('invoices'))).toContain('Tax number DE123456789');
  expect(await readText(await sheetOf('slips'))).not.toContain('DE123456789');
});

test('the Print button prints; without scripts, a hint replaces it', async () => {
  const page = await openPrint('slips', [short]);
  const printed = page.evaluate(
    () => new Promise<string>((done) => addEventListener('beforeprint', ({ type }) => done(type))),
  );
  await page.getByRole('button', { name: 'Print' }).click();
  expect(await printed).toBe('beforeprint');
  const plain = await stage.open({ as: ada, javaScriptEnabled: false });
  await plain.goto(`/dashboard/print/slips?orders=${short.number}`);
  await expect.poll(() => plain.getByText('from your browser’s menu').isVisible()).toBe(true);
  await expect.poll(() => plain.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
});

test('the order page links to what the viewer may print, once the order is paid', async () => {
  const page = await stage.open({ as: tom });
  await openPath(page, `/dashboard/orders/${short.number}`);
  await expect.poll(() => page.getByRole('link', { name: 'Packing slip' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Invoice' }).click();
  await page.getByRole('article', { name: short.number }).waitFor();

  const unpaid = await placeOrder(stage.shop, tom, await stage.shop.addProduct());
  await openPath(page, `/dashboard/orders/${unpaid.number}`);
  await expect.poll(() => page.getByRole('link', { name: 'Invoice' }).count()).toBe(0);
  await openPath(page, `/dashboard/print/invoices?orders=${unpaid.number}`);
  await page.getByText('Nothing to print').waitFor();

  const admin = await stage.open({ as: ada });
  await openPath(admin, `/dashboard/orders/${short.number}`);
  await admin.getByRole('link', { name: 'Packing slip' }).click();
  await admin.getByRole('article', { name: short.number }).waitFor();
});
