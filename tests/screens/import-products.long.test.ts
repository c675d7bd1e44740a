import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/requests.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let admin: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  admin = await stage.shop.admin('Ada Harrison');
});
afterAll(() => stage?.close());

const toFile = (text: string) => ({ name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

async function openImport(expected: RegExp[] = []) {
  const page = await stage.open({ as: admin, expected });
  await openPath(page, '/dashboard/manageProduct');
  await page.getByRole('link', { name: 'Import or export' }).click();
  await page.getByRole('heading', { name: 'Import Products', level: 1 }).waitFor();
  return { page, choose: (text: string) => page.getByLabel('CSV file').setInputFiles(toFile(text)) };
}

describe('Import Products', () => {
  test('previews every change of an edited export before it is saved, then imports it', async () => {
    const product = await stage.shop.addProduct({ name: 'Reamer', price: 5 });
    const { page, choose } = await openImport();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export all products' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('products.csv');
    const text = await readFile(await file.path(), 'utf8');
    await choose(text);
    await page.getByText('Nothing would change').waitFor();

    await choose(`${text.replace(',Reamer,5,', ',Fine reamer,6.5,')},,Broach,7,1,3,,,,,,,,,,,Cuts.\r\n`);
    await page.getByText('1 new product. 1 changed product: 1 price, 1 name.').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Fine reamer' });
    await expect.poll(() => readText(row)).toMatch(/Name: Reamer.*Fine reamer.*Price: \$5\.00.*\$6\.50/s);
    const read = () => stage.shop.client().call('getProduct', { params: { id: product._id } });
    await expect.poll(async () => (await read()).price).toBe(5);
    await page.getByRole('button', { name: 'Import 1 new and 1 changed product' }).click();
    await page.getByText('Imported. 1 new product. 1 changed product: 1 price, 1 name.').waitFor();
    await expect.poll(() => read()).toMatchObject({ name: 'Fine reamer', price: 6.5 });
    await expect.poll(() => page.getByRole('button', { name: /^Import/ }).count()).toBe(0);
  });

  test.each([
    { width: 390, height: 800 },
    { width: 1280, height: 800 },
  ])(
    'the preview of a file in Windows-1252 shows its notices above the button ($width px)',
    async (viewport) => {
      const name = `Öler ${viewport.width}`;
      await stage.shop.addProduct({ name });
      const { page } = await openImport();
      await page.setViewportSize(viewport);
      const buffer = Buffer.from(`name;price\n${name};13\n`, 'latin1');
      await page.getByLabel('CSV file').setInputFiles({ ...toFile(''), buffer });
      const notice = page.getByText('This file is not UTF-8 and was read as Windows-1252.');
      await notice.waitFor();
      const button = page.getByRole('button', { name: 'Import 1 changed product' });
      await expect
        .poll(async () => {
          const [above, below] = [await notice.boundingBox(), await button.boundingBox()];
          return above && below ? below.y - (above.y + above.height) : undefined;
        })
        .toBeGreaterThan(0);
      expect((await notice.boundingBox())?.y).toBeGreaterThan(0);
    },
  );

  test('a file with other headings asks what they mean', async () => {
    const product = await stage.shop.addProduct({ name: 'Bristle brush', a_quantity: 3 });
    const { page, choose } = await openImport([/status of 422.*dry=1/]);
    await choose('Art. no.;Article;Count\nB-7;Bristle brush;12\n');
    await page.getByText('The shop does not recognize this file’s headings').waitFor();
    await page.getByLabel('Article').selectOption('Name');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Nothing would change').waitFor();
    await page.getByLabel('Count').selectOption('Delivery');
    await page.getByRole('button', { name: 'Preview' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Delivery: ' });
    await row.waitFor();
    // A corrected file keeps the choices.
    await choose('Art. no.;Article;Count\nB-7;Bristle brush;1.200\n');
    await page.getByText('such as “1.200”').waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Delivery must be in digits only, such as 12').waitFor();
    await choose('Art. no.;Article;Count\nB-7;Bristle brush;12\n');
    await page.getByText('such as “12”').waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    await row.waitFor();
    await expect.poll(() => readText(row)).toContain('+12 pieces (3 to 15)');
    await page.getByRole('button', { name: 'Import 1 changed product' }).click();
    await page.getByText('Imported. ').waitFor();
    const { a_quantity } = await stage.shop.client().call('getProduct', { params: { id: product._id } });
    expect(a_quantity).toBe(15);
  });

  test('a supplier’s file of names and deliveries adds pieces, and says so each time', async () => {
    const product = await stage.shop.addProduct({ name: 'Pegwood', a_quantity: 40 });
    const { page, choose } = await openImport();
    const readStock = async () =>
      (await stage.shop.client().call('getProduct', { params: { id: product._id } })).a_quantity;
    for (const [before, after] of [
      [40, 52],
      [52, 64],
    ] as const) {
      await choose('name;delivery\nPegwood;12\n');
      // Wait for this row, because the preview of the previous file is shown first.
      const row = page.getByRole('row').filter({ hasText: 'Pegwood' });
      await row.filter({ hasText: `Delivery: +12 pieces (${before} to ${after})` }).waitFor();
      const isRepeated = before === 52;
      await page
        .getByText(isRepeated ? 'adds 12 pieces to the stock again.' : 'adds 12 pieces to the stock.')
        .waitFor();
      const earlier = page.getByText('This file was already imported by');
      if (isRepeated)
        await expect.poll(() => readText(earlier)).toMatch(/by \S+@\S+ on \d\d \w+ \d{4}, \d\d:\d\d/);
      else expect(await earlier.count()).toBe(0);
      await expect.poll(() => readStock()).toBe(before);
      await page.getByRole('button', { name: 'Import 1 changed product' }).click();
      await page.getByText('Imported. 1 changed product: 12 pieces added.').waitFor();
      await expect.poll(() => readStock()).toBe(after);
    }
  });

  test('a new product in a delivery is completed in the preview, and nothing typed is lost on an error', async () => {
    const bushes = await stage.shop.addProduct({ name: 'Bushes', a_quantity: 4 });
    const { page, choose } = await openImport();
    await choose('name;delivery\nBushes;6\nPoising tool;3\nTotal;9\n');
    await page
      .getByText('2 rows match no product, so this file cannot be imported. Complete or skip')
      .waitFor();
    const tool = page.getByRole('group', { name: 'Poising tool' });
    expect(await tool.getByLabel('Order quantity').inputValue()).toBe('1');
    await tool.getByLabel('Price').fill('many');
    await tool.getByLabel('Description').fill('Balances wheels.');
    await page.getByLabel('Skip the 2 rows that match no product').click();
    await tool.getByText('Price must be in digits').waitFor();
    expect(await tool.getByLabel('Description').inputValue()).toBe('Balances wheels.');
    await tool.getByLabel('Price').fill('18,50');
    await expect.poll(() => page.getByRole('button', { name: /^Import / }).count()).toBe(0);
    await page.getByRole('button', { name: 'Preview with these products' }).click();
    await page.getByText('1 new product. 1 changed product: 6 pieces added. 1 skipped row.').waitFor();
    // The same products in a corrected file keep what was typed.
    await choose('name;delivery\nPoising tool;3\nBushes;6\nTotal;9\n');
    await expect.poll(() => page.locator('#complete-2-price').inputValue()).toBe('18,50');
    await page.getByLabel('Skip the 2 rows that match no product').click();
    await page.getByRole('button', { name: 'Import 1 new and 1 changed product' }).click();
    await page.getByText('Imported. 1 new product. 1 changed product: 6 pieces added.').waitFor();
    const products = await stage.shop.client().call('listProducts', {});
    expect(products.find(({ name }) => name === 'Poising tool')).toMatchObject({
      price: 18.5,
      a_quantity: 3,
      o_quantity: 1,
      description: 'Balances wheels.',
    });
    expect(products.find(({ _id }) => _id === bushes._id)).toMatchObject({ a_quantity: 10 });
  });

  test('a heading may name the shop’s currency beside the price', async () => {
    const { page, choose } = await openImport([/status of 422.*dry=1/]);
    for (const [heading, column] of [
      ['Price (USD)', 'price'],
      ['Price ($)', 'price'],
      ['Price (EUR)', ''],
    ] as const) {
      await choose(`Name;${heading}\nx;2\n`);
      await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('name');
      expect(await page.getByLabel(heading).inputValue()).toBe(column);
    }
  });

  test('a supplier’s invoice: names and deliveries are guessed, prices are not; a total is skipped; a change of prices is pointed out', async () => {
    const clamps = await stage.shop.addProduct({ name: 'Mainspring clamps', price: 168, a_quantity: 3 });
    const cutter = await stage.shop.addProduct({ name: 'Wheel cutter', price: 420, a_quantity: 1 });
    const { page, choose } = await openImport([/status of 422.*dry=1/]);
    await choose('Article;Delivered;Price\nx;1;2\n');
    await expect.poll(() => page.getByLabel('Article').inputValue()).toBe('name');
    await expect.poll(() => page.getByLabel('Price').inputValue()).toBe('');
    for (const [file, name, delivery] of [
      ['Pos;Artikelbezeichnung;Menge\n1;x;1\n', 'Artikelbezeichnung', 'Menge'],
      ['Réf;Désignation;Quantité\n1;x;1\n', 'Désignation', 'Quantité'],
      ['Item;Qty;Qty shipped\nx;2;1\n', 'Item', 'Qty shipped'],
    ] as const) {
      await choose(file);
      await expect.poll(() => page.getByLabel(name).inputValue()).toBe('name');
      await expect.poll(() => page.getByLabel(delivery).inputValue()).toBe('delivery');
    }
    await choose(
      'Article no;Description;Qty delivered;Unit price\nM-1;mainspring  clamps;12;98,50\nW-2;Wheel cutter;2;210\nTotal;;14;\n',
    );
    const menu = (heading: string) => page.getByLabel(heading).inputValue();
    await expect.poll(() => page.getByLabel('Description').count()).toBe(1);
    expect(await Promise.all(['Article no', 'Description', 'Qty delivered', 'Unit price'].map(menu))).toEqual(
      ['', 'name', 'delivery', ''],
    );
    await page.getByLabel('Unit price').selectOption('Price');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page
      .getByText(
        '1 row matches no product, so this file cannot be imported. Skip it below, correct the file, or choose other meanings for its headings.',
      )
      .waitFor();
    const errors = page.getByRole('row').filter({ hasText: 'This row has no name.' });
    await expect.poll(() => readText(errors)).toContain('Order quantity, Available quantity, Description');
    const skip = page.getByLabel('Skip the row that matches no product');
    await skip.click();
    await page
      .getByText('2 changed products: 2 prices, 14 pieces added. 1 skipped row.', { exact: true })
      .waitFor();
    await page.getByText('Skipped: This row has no name.').waitFor();
    await page.getByText('2 prices will change. Check that they are your selling prices').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Delivery: +12 pieces' });
    await expect.poll(() => readText(row)).toMatch(/Mainspring clamps.*Price: \$168\.00.*\$98\.50/);
    await page.getByRole('button', { name: 'Import 2 changed products' }).waitFor();
    await page.getByLabel('Unit price').selectOption('Ignore');
    await page.getByRole('button', { name: 'Preview' }).click();
    await skip.click();
    await page.getByRole('button', { name: 'Import 2 changed products' }).click();
    await page.getByText('Imported. 2 changed products: 14 pieces added. 1 skipped row.').waitFor();
    const read = ({ _id: id }: typeof clamps) => stage.shop.client().call('getProduct', { params: { id } });
    await expect.poll(() => read(clamps)).toMatchObject({ price: 168, a_quantity: 15 });
    await expect.poll(() => read(cutter)).toMatchObject({ price: 420, a_quantity: 3 });
  });

  test('prices that change a lot are confirmed before they are imported', async () => {
    const [gauge, press] = [
      await stage.shop.addProduct({ name: 'Depth gauge', price: 12 }),
      await stage.shop.addProduct({ name: 'Hand press', price: 12 }),
    ];
    const { page, choose } = await openImport();
    await choose(`id,price\n${gauge._id},24.01\n${press._id},24`);
    const button = page.getByRole('button', { name: 'Import 2 changed products' });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
    const question = page.getByLabel('1 price is less than half or more than double the old one.');
    await question.waitFor();
    const read = async () =>
      (await stage.shop.client().call('getProduct', { params: { id: gauge._id } })).price;
    await expect.poll(read).toBe(12);
    await question.check();
    await button.click();
    await page.getByText('Imported. 2 changed products: 2 prices.').waitFor();
    await expect.poll(read).toBe(24.01);
  });

  test('errors that several rows have in common are one line', async () => {
    const { page, choose } = await openImport();
    await choose('id,price,archived\nnone,1,maybe\nnone,1,yes\nnone,1,yes\n,1,yes\nnone,1,yes');
    await page
      .getByText(
        '5 rows match no product, so this file cannot be imported. Skip them below, or correct the file and choose it again.',
      )
      .waitFor();
    const rows = page.getByRole('row').filter({ hasText: 'There is no product with the id “none”.' });
    await expect.poll(() => rows.count()).toBe(1);
    await expect.poll(() => readText(rows)).toContain('2–4, 6');
    const product = await stage.shop.addProduct({ name: 'Broach' });
    // One row is skipped, and one other value is wrong.
    await choose(`id,archived\n${product._id},maybe\nnone,yes`);
    await page.getByText('2 values are wrong').waitFor();
    await page.getByLabel('Skip the row that matches no product').click();
    await page.getByText('1 value is wrong, so this file cannot be imported. Correct the file').waitFor();
  });

  test('every changed field is named, and products that go off sale are pointed out', async () => {
    const product = await stage.shop.addProduct({ name: 'Loupe', o_quantity: 1 });
    const { page, choose } = await openImport();
    await choose(`id,archived,o_quantity\n${product._id},yes,2`);
    const changes = '1 change to Order quantity, 1 change to Archived';
    await page.getByText(`1 changed product: ${changes}.`).waitFor();
    await page
      .getByText('1 product will be archived or restored. Check that this is right.', { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Import 1 changed product', exact: true }).waitFor();
  });

  test('lists errors by row and column, and imports the corrected file', async () => {
    const { page, choose } = await openImport([/status of 422|status of 400/]);
    await choose('name,price,o_quantity,a_quantity,description\nBow compass,"1,250",1,4,Scribes.');
    await page.getByText('1 value is wrong').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Price must be in digits' });
    await expect.poll(() => readText(row)).toMatch(/2.*Price/s);
    await expect.poll(() => page.getByRole('button', { name: /^Import/ }).count()).toBe(0);
    await choose('price\n1');
    await page.getByRole('alert').filter({ hasText: 'The first row must name the columns' }).waitFor();
    await choose('name,price,o_quantity,a_quantity,description\nBow compass,"1250,00",1,4,Scribes.');
    await page.getByRole('button', { name: 'Import 1 new product' }).click();
    await page.getByText('Imported. 1 new product.').waitFor();
    const names = (await stage.shop.client().call('listProducts', {})).map(({ name, price }) => [
      name,
      price,
    ]);
    expect(names).toContainEqual(['Bow compass', 1250]);
  });
});
