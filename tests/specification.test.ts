import { expect, test } from 'vitest';
import { startShop, type TestShop } from './support/shop.ts';

const openCatalogue = { settings: { OPEN_CATALOGUE: 'yes' } };

/** The HTML of the specification on a product's page. */
async function readSpecification(shop: TestShop, id: string): Promise<string> {
  const html = await (await shop.send(`/purchase/${id}`)).text();
  return /<section><h2 class="[^"]*">Specification<.*?<\/section>/s.exec(html)?.[0] ?? expect.unreachable();
}

const listTerms = (html: string) =>
  [...html.matchAll(/<dt[^>]*>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/g)].map(([, term = '', value = '']) => [
    term,
    value.replaceAll(/<[^>]*>/g, ''),
  ]);

test('the specification has the facts after the category, and the minimum only if it is above 1', async () => {
  await using shop = await startShop(openCatalogue);
  const facts = 'Height: 62 mm\n<b>Ratio</b>: 1:4';
  const { _id } = await shop.addProduct({ category: 'Gauges', facts });
  const terms = [
    ['Category', 'Gauges'],
    ['Height', '62 mm'],
    ['&lt;b&gt;Ratio&lt;/b&gt;', '1:4'],
  ];
  expect(listTerms(await readSpecification(shop, _id))).toEqual(terms);
  const tens = await shop.addProduct({ category: 'Gauges', facts, o_quantity: 10 });
  expect(listTerms(await readSpecification(shop, tens._id))).toEqual([...terms, ['Minimum', '10 pieces']]);
});

test('without facts, the specification is the same as before there were facts', async () => {
  await using shop = await startShop(openCatalogue);
  const { _id } = await shop.addProduct();
  const row = (term: string, value: string) =>
    `<div class="flex items-baseline gap-2 border-b border-rule py-2.5 last:border-b-0 @max-[16rem]:flex-wrap"><dt class="shrink-0 text-soft">${term}</dt><dd class="contents"><span aria-hidden="true" class="min-w-4 grow border-b-2 border-dotted border-edge"></span><span class="ml-auto min-w-0 text-right font-serif text-lg">${value}</span></dd></div>`;
  expect(await readSpecification(shop, _id)).toBe(
    `<section><h2 class="mb-3 text-xl">Specification</h2><dl class="@container figures border-y-2 border-edge">${row('Price per piece', 'USD 12.50')}${row('Minimum', '1 piece')}${row('In stock', '10 pieces')}</dl></section>`,
  );
});
