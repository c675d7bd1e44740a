import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import type { Purchase } from '../../contract/orders/purchases.ts';
import { buyTogether, placeOrder } from '../support/payments.ts';
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
  await shop.database.db.updateTable('orders').set({ address }).execute();
  // The package would otherwise download it.
  const file = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
  const wasmBinary = new Uint8Array(readFileSync(file)).buffer;
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
});
afterAll(() => stage.close());

/** With about a printer's resolution. */
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

test('a packing slip marks a partly refunded product', async () => {
  const { shop } = stage;
  const product = await shop.addProduct({ name: 'Puller', price: 4 });
  const purchase = await buyTogether(shop, tom, [[product, 3]]);
  const [order] = purchase.orders;
  await shop.client(ada).call('refundOrder', {
    params: { id: order?._id ?? '' },
    body: { amount: 4, reason: 'other' },
  });
  const page = await openPrint('slips', [purchase]);
  const cell = page.getByRole('cell', { name: /^Puller/ });
  await expect.poll(() => cell.textContent()).toBe('PullerPartly refunded: check the order before packing');
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
