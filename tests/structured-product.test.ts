import { expect, test } from 'vitest';
import { startShop, type TestShop } from './support/shop.ts';

/** The JSON-LD of a product's page, as a visitor's crawler reads it. */
async function readGraph(shop: TestShop, id: string): Promise<Record<string, unknown>[]> {
  const html = await (await shop.send(`/purchase/${id}`)).text();
  const blocks = [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
  expect(blocks).toHaveLength(1);
  return JSON.parse(blocks[0]?.[1] ?? '')['@graph'];
}

test('the home page lists the pages of its products, and a category page has its path in the catalogue', async () => {
  await using shop = await startShop({ settings: { OPEN_CATALOGUE: 'yes' } });
  const { _id } = await shop.addProduct({ category: 'Vises & <clamps>' });
  const home = await (await shop.send('/')).text();
  const readData = (html: string) =>
    JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? '');
  const item = { '@type': 'ListItem', position: 1, url: `${shop.origin}/purchase/${_id}` };
  expect(readData(home)['@graph'][1]).toEqual({ '@type': 'ItemList', itemListElement: [item] });
  const path = `/products?${new URLSearchParams({ category: 'Vises & <clamps>' })}`;
  expect(readData(await (await shop.send(path)).text())).toMatchObject({
    '@type': 'BreadcrumbList',
    itemListElement: [{ name: 'Products', item: `${shop.origin}/products` }, { name: 'Vises & <clamps>' }],
  });
});

test('a product page has the structured data that Google requires and recommends', async () => {
  await using shop = await startShop({ settings: { OPEN_CATALOGUE: 'yes' } });
  const hostile = '</script><script>alert(1)</script> \u2028 "Pin" <!-- & \\ vise';
  const product = await shop.addProduct({
    name: hostile,
    description: hostile,
    category: 'Vises & <clamps>',
    price: 12.5,
    o_quantity: 2,
  });
  for (const [rating, name] of [
    [5, 'Tom'],
    [4, 'N'.repeat(100)],
  ] as const)
    await shop
      .client(await shop.signUpConfirmed(name))
      .call('addReview', { body: { product: product._id, rating, reviews: hostile, img: product.img } });
  const url = `${shop.origin}/purchase/${product._id}`;
  const [data, trail] = await readGraph(shop, product._id);
  // https://developers.google.com/search/docs/appearance/structured-data/merchant-listing#structured-data-type-definitions
  expect(data).toMatchObject({
    '@type': 'Product',
    name: hostile,
    description: hostile,
    category: 'Vises & <clamps>',
    sku: product._id,
    image: [`${shop.origin}${product.img}`],
    offers: {
      '@type': 'Offer',
      url,
      price: 12.5,
      priceCurrency: 'USD',
      availability: 'https://schema.org/InStock',
      itemCondition: 'https://schema.org/NewCondition',
      eligibleQuantity: { minValue: 2 },
    },
    // https://developers.google.com/search/docs/appearance/structured-data/review-snippet#structured-data-type-definitions
    aggregateRating: { '@type': 'AggregateRating', ratingValue: 4.5, reviewCount: 2, bestRating: 5 },
    review: [
      { '@type': 'Review', author: { name: 'N'.repeat(99) }, reviewRating: { ratingValue: 4 } },
      {
        '@type': 'Review',
        author: { '@type': 'Person', name: 'Tom' },
        reviewBody: hostile,
        datePublished: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        reviewRating: { '@type': 'Rating', ratingValue: 5, bestRating: 5, worstRating: 1 },
      },
    ],
  });
  // https://developers.google.com/search/docs/appearance/structured-data/breadcrumb#structured-data-type-definitions
  expect(trail).toEqual({
    '@type': 'BreadcrumbList',
    itemListElement: [
      { '@type': 'ListItem', position: 1, name: 'Products', item: `${shop.origin}/products` },
      {
        '@type': 'ListItem',
        position: 2,
        name: 'Vises & <clamps>',
        item: `${shop.origin}/products?category=Vises+%26+%3Cclamps%3E`,
      },
      { '@type': 'ListItem', position: 3, name: hostile },
    ],
  });
});

test('each fact is a property, and a product without facts has none', async () => {
  await using shop = await startShop({ settings: { OPEN_CATALOGUE: 'yes' } });
  const { _id } = await shop.addProduct({ facts: 'Height: 62 mm\nRatio </script>: 1:4' });
  expect((await readGraph(shop, _id))[0]).toMatchObject({
    additionalProperty: [
      { '@type': 'PropertyValue', name: 'Height', value: '62 mm' },
      { '@type': 'PropertyValue', name: 'Ratio </script>', value: '1:4' },
    ],
  });
  const plain = await shop.addProduct();
  expect((await readGraph(shop, plain._id))[0]).not.toHaveProperty('additionalProperty');
});

test('availability follows the stock, and a product without reviews has no rating', async () => {
  await using shop = await startShop({ settings: { OPEN_CATALOGUE: 'yes' } });
  const admin = shop.client(await shop.admin());
  const product = await shop.addProduct({ o_quantity: 2, a_quantity: 1 });
  const read = async () => (await readGraph(shop, product._id))[0] ?? expect.unreachable();
  const soldOut = await read();
  expect(soldOut).toMatchObject({ offers: { availability: 'https://schema.org/OutOfStock' } });
  for (const absent of ['aggregateRating', 'review', 'category']) expect(soldOut).not.toHaveProperty(absent);
  await admin.call('editProduct', { params: { id: product._id }, body: { version: 1, archived: true } });
  expect(await read()).toMatchObject({ offers: { availability: 'https://schema.org/Discontinued' } });
});
