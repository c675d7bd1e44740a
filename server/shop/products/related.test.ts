import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Product } from '../../../contract/catalogue/products.ts';
import { engines } from '../../../tests/support/database.ts';
import { confirmIntent, openPurchasePayment, placePurchase } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

async function addTools(shop: TestShop, names: string[], category?: string): Promise<Product[]> {
  const products = [];
  for (const name of names) products.push(await shop.addProduct({ name, ...(category ? { category } : {}) }));
  return products;
}

async function buyTogether(shop: TestShop, customer: TestUser, products: Product[]): Promise<void> {
  const purchase = await placePurchase(
    shop,
    customer,
    products.map((product) => [product, 1]),
  );
  const intent = await openPurchasePayment(shop, customer, purchase);
  await confirmIntent(shop, intent);
  const params = { id: purchase.orders[0]?._id ?? '' };
  await shop.client(customer).call('markOrderPaid', { params, body: { transactionId: intent.id } });
}

async function listNames(shop: TestShop, { _id: id }: { _id: string }) {
  const { boughtTogether, related } = await shop.client().call('listRelatedProducts', { params: { id } });
  const toNames = (products: Product[]) => products.map(({ name }) => name);
  return { boughtTogether: toNames(boughtTogether), related: toNames(related) };
}

afterEach(() => void vi.useRealTimers());

/** Lets the cached lists of tools bought together expire. */
const waitForNewLists = () => vi.setSystemTime(Date.now() + 10 * 60_000);

describe.each(engines)('on %s', (engine) => {
  test('related tools are the next tools of the same category, then the previous ones; sold-out tools come last', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
    const products = await addTools(shop, names, 'Files');
    await addTools(shop, ['Oiler'], 'Oiling');
    const [a, , , d, e, , g] = products as [Product, Product, Product, Product, Product, Product, Product];
    expect((await listNames(shop, a)).related).toEqual(['B', 'C', 'D', 'E']);
    expect((await listNames(shop, d)).related).toEqual(['E', 'F', 'G', 'A']);
    await admin.call('editProduct', { params: { id: g._id }, body: { version: 1, archived: true } });
    await admin.call('adjustStock', { params: { id: e._id }, body: { change: -10, reason: 'damage' } });
    expect((await listNames(shop, d)).related).toEqual(['F', 'A', 'B', 'C']);
    // The page of an archived tool shows what to buy instead.
    expect((await listNames(shop, g)).related).toEqual(['A', 'B', 'C', 'D']);
    await admin.call('deleteProduct', { params: { id: a._id } });
    expect((await listNames(shop, d)).related).toEqual(['F', 'B', 'C', 'E']);
    const [loose] = await addTools(shop, ['Loose']);
    expect(await listNames(shop, loose ?? a)).toEqual({ boughtTogether: [], related: [] });
    const problem = await catchProblem(shop.client().call('listRelatedProducts', { params: { id: a._id } }));
    expect(problem).toMatchObject({ status: 404 });
  });

  test('tools that several customers paid for together are listed within ten minutes, without the customers', async () => {
    await using shop = await startShop({ engine });
    const [tom, ines] = [await shop.signUp(), await shop.signUp()];
    const [winder, oiler, file, vise] = (await addTools(shop, ['Winder', 'Oiler', 'File', 'Vise'])) as [
      Product,
      Product,
      Product,
      Product,
    ];
    await buyTogether(shop, tom, [winder, oiler, file]);
    await buyTogether(shop, tom, [winder, oiler, vise]);
    // So far, the lists would reveal what Tom bought.
    expect(await listNames(shop, winder)).toEqual({ boughtTogether: [], related: [] });
    await buyTogether(shop, ines, [file, winder, oiler]);
    expect((await listNames(shop, winder)).boughtTogether).toEqual([]);
    waitForNewLists();
    // This purchase is not paid.
    await placePurchase(shop, ines, [
      [winder, 1],
      [vise, 1],
    ]);
    expect((await listNames(shop, winder)).boughtTogether).toEqual(['Oiler', 'File']);
    const params = { id: winder._id };
    const listed = await shop.client(tom).call('listRelatedProducts', { params });
    const shown = await shop.client(tom).call('getProduct', { params: { id: oiler._id } });
    expect(listed.boughtTogether[0]).toEqual(shown);
    expect(JSON.stringify(listed)).not.toMatch(/@|ines|tom/i);

    const admin = shop.client(await shop.admin());
    await admin.call('editProduct', { params: { id: oiler._id }, body: { version: 1, archived: true } });
    await admin.call('deleteProduct', { params: { id: file._id } });
    expect((await listNames(shop, winder)).boughtTogether).toEqual([]);
  });

  test('a tool that is listed as bought together is not listed as related, too', async () => {
    await using shop = await startShop({ engine });
    const [winder, key, arbor] = (await addTools(shop, ['Winder', 'Key', 'Arbor'], 'Winding')) as [
      Product,
      Product,
      Product,
    ];
    for (const customer of [await shop.signUp(), await shop.signUp()])
      await buyTogether(shop, customer, [winder, arbor]);
    expect(await listNames(shop, winder)).toEqual({ boughtTogether: ['Arbor'], related: ['Key'] });
    expect((await listNames(shop, key)).related).toEqual(['Arbor', 'Winder']);
  });
});
