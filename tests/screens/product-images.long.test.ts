import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import { phone } from '../support/browser.ts';
import { postImage } from '../support/image-upload.ts';
import type { TestUser } from '../support/requests.ts';
import { fillFields } from './fields.ts';
import { holdRequests } from './held-requests.ts';
import { createPhoto, invalidImage } from './image-files.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let admin: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  admin = await stage.shop.admin('Ada Harrison');
});
afterAll(() => stage?.close());

const read = ({ _id: id }: Product) => stage.shop.client(admin).call('getProduct', { params: { id } });

/** A product with images in different colours. */
async function addProduct(count = 1, fields: { name?: string; category?: string } = {}): Promise<Product> {
  const images: string[] = [];
  for (const colour of ['#a00000', '#00a000', '#0000a0'].slice(0, count))
    images.push(await postImage(stage.shop, admin, new Uint8Array((await createPhoto('', colour)).buffer)));
  const product = await stage.shop.addProduct({ name: 'Pin vise', price: 12.5, ...fields });
  await edit(product, images);
  return read(product);
}

async function edit(product: Product, images: string[]): Promise<void> {
  const { version } = await read(product);
  const params = { id: product._id };
  await stage.shop.client(admin).call('editProduct', { params, body: { version, images } });
}

async function openEditor({ _id }: Product): Promise<Page> {
  const page = await stage.open({ as: admin, ...phone, expected: [/status of (400|409|415|422|500)/] });
  await openPath(page, `/dashboard/products/${_id}`);
  return page;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const items = (page: Page) => page.getByRole('list', { name: 'Images of the product' }).getByRole('listitem');
const announcement = (page: Page, text: string) =>
  page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

async function save(page: Page, product: Product): Promise<Product> {
  const { version } = await read(product);
  await press(page, 'Save changes');
  await expect.poll(async () => (await read(product)).version).toBe(version + 1);
  const saved = await read(product);
  await expect.poll(() => page.locator('input[name=images]').inputValue()).toBe(saved.images.join(' '));
  return saved;
}

/** Drops or pastes files. */
async function give(page: Page, event: 'drop' | 'paste', colours: string[], text?: string): Promise<void> {
  const files = await Promise.all(
    colours.map(async (colour) => {
      const { name, mimeType, buffer } = await createPhoto(`${event} ${colour}.jpg`, colour);
      return { name, mimeType, bytes: [...buffer] };
    }),
  );
  await page.evaluate(
    ({ event, files, text }) => {
      const transfer = new DataTransfer();
      for (const { name, mimeType, bytes } of files)
        transfer.items.add(new File([new Uint8Array(bytes)], name, { type: mimeType }));
      if (text) transfer.setData('text/plain', text);
      const init = { bubbles: true, cancelable: true };
      if (event === 'paste')
        document.body.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: transfer }));
      else {
        // Outside the field, a browser would leave the page and open the file.
        const drop = new DragEvent('drop', { ...init, dataTransfer: transfer });
        if (document.body.dispatchEvent(drop)) throw new Error('The browser handles the drop.');
      }
    },
    { event, files, text },
  );
}

describe('the edit page', () => {
  test('images are moved with the keyboard, which keeps the focus and is announced', async () => {
    const product = await addProduct(3);
    const [a, b, c] = product.images;
    const page = await openEditor(product);
    await page.getByRole('button', { name: 'Move image 3 earlier' }).focus();
    await page.keyboard.press('Enter');
    await announcement(page, 'Moved to position 2 of 3.');
    await expect.poll(() => focused(page)).toBe('Move image 2 earlier');
    await page.keyboard.press('Space');
    await announcement(page, 'Moved to position 1 of 3: it is the main image.');
    await expect.poll(() => focused(page)).toBe('Move image 1 earlier');
    // The first image cannot be moved further, and the focus stays.
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Move image 1 earlier');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Move image 2 later');
    expect((await save(page, product)).images).toEqual([a, c, b]);
    await page.getByRole('button', { name: 'Make main (image 3)' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Move image 1 later');
    await page.getByRole('button', { name: 'Remove image 2' }).focus();
    await page.keyboard.press('Enter');
    await announcement(page, 'Image 2 removed; 2 left.');
    await expect.poll(() => focused(page)).toBe('Remove image 2');
    expect((await save(page, product)).images).toEqual([b, c]);
  });

  test('images are moved by dragging', async () => {
    const product = await addProduct(3);
    const [a, b, c] = product.images;
    const page = await openEditor(product);
    await items(page).nth(2).dragTo(items(page).nth(0));
    expect((await save(page, product)).images).toEqual([c, a, b]);
  });

  test('several files are chosen, dropped and pasted, and all are saved in their order', async () => {
    const product = await addProduct();
    const page = await openEditor(product);
    await page
      .getByLabel('Add images')
      .setInputFiles([await createPhoto('one.jpg', '#111111'), await createPhoto('two.jpg', '#222222')]);
    await give(page, 'drop', ['#333333', '#444444']);
    await give(page, 'paste', ['#555555']);
    // Text that is pasted with a picture of itself is not an image.
    await give(page, 'paste', ['#666666'], 'Pin vise');
    await expect.poll(() => page.getByText('Take a photo').isVisible()).toBe(true);
    await page.getByLabel('Take a photo').setInputFiles(await createPhoto());
    await expect.poll(() => items(page).count()).toBe(7);
    const { images } = await save(page, product);
    expect([images[0], images.length, new Set(images).size]).toEqual([product.img, 7, 7]);
    for (const img of images) expect((await stage.shop.send(img)).status).toBe(200);
    // More than eight are not added.
    await give(page, 'drop', ['#777777', '#888888', '#999999']);
    await page.getByText('A product has at most 8 images: 2 not added.').waitFor();
    await expect.poll(() => items(page).count()).toBe(8);
    expect((await save(page, product)).images).toHaveLength(8);
  });

  test('each upload has its own progress and error, and a failed one leaves the others and all input', async () => {
    const product = await addProduct();
    const page = await openEditor(product);
    await fillFields(page, { Name: 'Pin vise, small' });
    const release = await holdRequests(page, '**/1/upload*');
    await page.getByLabel('Add images').setInputFiles([await createPhoto(), invalidImage]);
    await page.getByRole('progressbar', { name: 'Upload of image 2' }).waitFor();
    await page.getByRole('progressbar', { name: 'Upload of image 3' }).waitFor();
    release();
    await items(page).nth(2).getByText('Please choose an image').waitFor();
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(0);
    await expect.poll(() => readText(items(page).nth(1))).not.toContain('Please choose');
    await press(page, 'Save changes');
    await page.getByRole('link', { name: 'An image is not uploaded: try again, or remove it.' }).waitFor();
    await expect.poll(() => read(product)).toMatchObject({ name: 'Pin vise', version: product.version });
    await expect.poll(() => items(page).count()).toBe(3);
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Pin vise, small');
    await press(page, 'Remove image 3');
    const saved = await save(page, product);
    expect([saved.name, saved.images.length]).toEqual(['Pin vise, small', 2]);
  });

  test('an interrupted upload is retried', async () => {
    const product = await addProduct();
    const page = await openEditor(product);
    await page.route('**/1/upload*', (route) => route.fulfill({ status: 500, body: '' }), { times: 1 });
    await page.getByLabel('Add images').setInputFiles(await createPhoto());
    await press(page, 'Try again (image 2)');
    expect((await save(page, product)).images).toHaveLength(2);
  });

  test('a product needs an image', async () => {
    const product = await addProduct();
    const page = await openEditor(product);
    await press(page, 'Remove image 1');
    await press(page, 'Save changes');
    await page.getByRole('link', { name: 'Image is Required' }).waitFor();
    await expect.poll(async () => (await read(product)).images).toEqual([product.img]);
  });

  test('if another admin has changed the images meanwhile, both lists are shown and one is chosen', async () => {
    const product = await addProduct(3);
    const [a = '', b = '', c = ''] = product.images;
    const page = await openEditor(product);
    await page.getByLabel('Add images').setInputFiles(await createPhoto());
    await edit(product, [b, a]);
    await press(page, 'Save changes');
    await page.getByRole('alert').filter({ hasText: 'Another admin has changed this product' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Images' });
    await expect.poll(() => row.getByRole('img').count()).toBe(4 + 2);
    await expect.poll(() => items(page).count()).toBe(4);
    await press(page, 'Use this (Images, now)');
    await expect.poll(() => items(page).count()).toBe(2);
    await press(page, 'Use this (Images, yours)');
    const { images } = await save(page, product);
    expect([images.slice(0, 3), images.length]).toEqual([[a, b, c], 4]);
  });

  test('the preview shows what is in the form as customers would see it, and saves nothing', async () => {
    const product = await addProduct();
    const page = await openEditor(product);
    await fillFields(page, { Name: 'Pin vise, small', Price: '13.2', 'Order quantity': '2,5' });
    await page.getByLabel('Description').fill('Holds pins.');
    await page.getByLabel('Add images').setInputFiles(await createPhoto());
    await press(page, 'Preview');
    const preview = page.getByRole('dialog', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Pin vise, small' }).waitFor();
    const text = await readText(preview);
    for (const part of ['13.20', 'Holds pins.', 'the stored ones are shown: Order quantity.'])
      expect(text).toContain(part);
    await expect.poll(() => preview.getByRole('img', { name: 'Pin vise, small, image 2' }).count()).toBe(1);
    await press(page, 'Close the preview');
    await expect.poll(() => page.getByLabel('Price').inputValue()).toBe('13.2');
    await expect.poll(async () => (await read(product)).version).toBe(product.version);
  });

  test('without scripts, a chosen file replaces the first image and keeps the others', async () => {
    const product = await addProduct(3);
    const expected = [/static\/js\/.*: csp$/];
    const page = await stage.open({ as: admin, javaScriptEnabled: false, expected });
    await page.goto(`/dashboard/products/${product._id}`);
    await expect.poll(() => items(page).getByRole('img').count()).toBe(3);
    await expect.poll(() => page.getByRole('button', { name: /Remove|Move|Preview/ }).count()).toBe(0);
    await page.getByLabel('Image', { exact: true }).setInputFiles(await createPhoto());
    await press(page, 'Save changes');
    await page.getByText('Changes saved.').waitFor();
    const { images } = await read(product);
    expect(images.slice(1)).toEqual(product.images.slice(1));
    expect(images[0]).not.toBe(product.img);
  });

  test('without scripts, an edit conflict keeps the image that was just uploaded', async () => {
    const product = await addProduct(2);
    const expected = [/static\/js\/.*: csp$/, /status of 409/];
    const page = await stage.open({ as: admin, javaScriptEnabled: false, expected });
    await page.goto(`/dashboard/products/${product._id}`);
    await page.getByLabel('Image', { exact: true }).setInputFiles(await createPhoto('pin.jpg', '#123456'));
    const body = { version: product.version, name: 'Pin vise, small' };
    await stage.shop.client(admin).call('editProduct', { params: { id: product._id }, body });
    await press(page, 'Save changes');
    await page.getByRole('alert').filter({ hasText: 'Another admin has changed this product' }).waitFor();
    await press(page, 'Save changes');
    await page.getByText('Changes saved.').waitFor();
    const { name, images } = await read(product);
    expect([name, ...images.slice(1)]).toEqual([body.name, ...product.images.slice(1)]);
    expect(product.images).not.toContain(images[0]);
  });
});

describe('the purchase page', () => {
  const isInView = (page: Page, name: string) =>
    page.getByRole('img', { name, exact: true }).evaluate((image) => {
      const box = image.getBoundingClientRect();
      const row = image.closest('section')?.getBoundingClientRect();
      return Math.abs(box.left - (row?.left ?? 0)) < 3 && box.top >= 0;
    });

  test.each([true, false])(
    'shows all images, each reached by its link (scripts: %s)',
    async (javaScriptEnabled) => {
      const product = await addProduct(3);
      const expected = javaScriptEnabled ? [] : [/static\/js\/.*: csp$/];
      const page = await stage.open({ as: admin, javaScriptEnabled, expected, ...phone });
      await page.goto(`/purchase/${product._id}`);
      await expect.poll(() => isInView(page, 'Pin vise')).toBe(true);
      await expect.poll(() => isInView(page, 'Pin vise, image 3')).toBe(false);
      await page.getByRole('link', { name: 'Image 3 of 3' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => isInView(page, 'Pin vise, image 3')).toBe(true);
      await expect.poll(() => isInView(page, 'Pin vise')).toBe(false);
      if (javaScriptEnabled)
        await expect
          .poll(() => page.getByRole('link', { name: 'Image 3 of 3' }).getAttribute('aria-current'))
          .toBe('true');
      const lazy = await page
        .locator('main section img')
        .evaluateAll((images) => images.map((image) => image.getAttribute('loading')));
      expect(lazy).toEqual(['eager', 'lazy', 'lazy']);
    },
  );

  test('starts with the first image of a product that is opened by a link from another', async () => {
    const category = 'Pin holders';
    const product = await addProduct(3, { category });
    const next = await addProduct(3, { name: 'Pin tongs', category });
    const page = await stage.open({ as: admin, ...phone });
    await openPath(page, `/purchase/${product._id}`);
    await page.getByRole('link', { name: 'Image 3 of 3' }).click();
    await expect.poll(() => isInView(page, 'Pin vise, image 3')).toBe(true);
    await page.getByRole('main').getByRole('link', { name: next.name }).click();
    await page.getByRole('heading', { name: 'Pin tongs', level: 1 }).waitFor();
    const current = page.getByRole('link', { name: 'Image 1 of 3' });
    await expect.poll(() => current.getAttribute('aria-current')).toBe('true');
    await expect.poll(() => isInView(page, 'Pin tongs')).toBe(true);
  });

  test('opens a large view that keys and touch enlarge, and returns to the image', async () => {
    const product = await addProduct(3);
    const page = await stage.open({ as: admin, ...phone, hasTouch: true });
    await openPath(page, `/purchase/${product._id}`);
    await page
      .getByRole('link', { name: /enlarge/ })
      .first()
      .click();
    const view = page.getByRole('dialog', { name: 'Pin vise' });
    await view.waitFor();
    const zoom = (text: string) =>
      view
        .getByRole('status')
        .filter({ hasText: `Zoom ${text}` })
        .waitFor();
    await zoom('100%');
    await page.keyboard.press('+');
    await zoom('160%');
    await page.keyboard.press('-');
    await zoom('100%');
    await page.keyboard.press('ArrowRight');
    await view.getByRole('status').filter({ hasText: 'Image 2 of 3' }).waitFor();
    const image = view.getByRole('img', { name: 'Pin vise, image 2' });
    await image.tap();
    await zoom('250%');
    const stage2 = image.locator('xpath=../..');
    const scrolled = () => stage2.evaluate(({ scrollLeft }) => scrollLeft);
    const before = await scrolled();
    await page.keyboard.press('ArrowRight');
    await expect.poll(scrolled).toBeGreaterThan(before);
    await page.keyboard.press('0');
    await zoom('100%');
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', gap?: number) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: gap === undefined ? [] : [-gap, gap].map((x, id) => ({ x: 180 + x, y: 320, id })),
      });
    await touch('touchStart', 40);
    for (const gap of [50, 60, 80]) await touch('touchMove', gap);
    await touch('touchEnd');
    await zoom('200%');
    await page.keyboard.press('Escape');
    await view.waitFor({ state: 'detached' });
    await expect.poll(() => isInView(page, 'Pin vise, image 2')).toBe(true);
  });

  test('two quick presses move the large view by two images', async () => {
    const product = await addProduct(3);
    const page = await stage.open({ as: admin });
    await openPath(page, `/purchase/${product._id}`);
    const enlarge = page.getByRole('link', { name: /enlarge/ }).first();
    await enlarge.click();
    const view = page.getByRole('dialog', { name: 'Pin vise' });
    await view.getByText('1 of 3').waitFor();
    await page.evaluate(() => {
      const init = { key: 'ArrowRight', bubbles: true };
      for (const _ of [1, 2])
        document.querySelector('dialog section')?.dispatchEvent(new KeyboardEvent('keydown', init));
    });
    await view.getByText('3 of 3').waitFor();
    const left = () =>
      view.getByRole('img', { name: /image 3$/ }).evaluate((it) => it.getBoundingClientRect().left);
    await expect.poll(left).toBeLessThan(3);
  });

  test('Back closes the large view and stays on the page; if the view is closed in another way, no history entry is left', async () => {
    const product = await addProduct(2);
    const page = await stage.open({ as: admin, ...phone });
    await openPath(page, '/products');
    await openPath(page, `/purchase/${product._id}`);
    const enlarge = page.getByRole('link', { name: /enlarge/ }).first();
    const view = page.getByRole('dialog', { name: 'Pin vise' });
    await page.locator('#orderQuantity').fill('2');
    await enlarge.click();
    await view.waitFor();
    await page.evaluate(() => history.back());
    await view.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`/purchase/${product._id}`);
    await expect.poll(() => page.locator('#orderQuantity').inputValue()).toBe('2');
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => view.getByRole('button', { name: 'Close' }).click(),
    ]) {
      await enlarge.click();
      await view.waitFor();
      await close();
      await view.waitFor({ state: 'detached' });
    }
    // The browser removes the view's history entry later, and Back before that would only do the same.
    await page.waitForFunction(() => !history.state?.openedAt);
    await page.goBack();
    await page.waitForURL('**/products');
  });

  test('of a product with one image has no gallery', async () => {
    const product = await addProduct();
    const page = await stage.open({ as: admin });
    await openPath(page, `/purchase/${product._id}`);
    await expect.poll(() => page.getByRole('main').getByRole('img').count()).toBe(1);
    await expect.poll(() => page.getByRole('link', { name: /^Image/ }).count()).toBe(0);
  });
});
