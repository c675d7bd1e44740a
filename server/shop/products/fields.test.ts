import { describe, expect, test } from 'vitest';
import { mapFields, productFieldNames, productFields } from '../../../contract/catalogue/product-fields.ts';
import { engines } from '../../../tests/support/database.ts';
import { sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';

const samples = {
  line: ['First', 'Second', 'Third'],
  text: ['First\nline', 'Second\nline', 'Third\nline'],
  facts: ['First: 1 mm\nWidth: 2 mm', 'Second: 1 mm\nWidth: 2 mm', 'Third: 1 mm\nWidth: 2 mm'],
  money: [10.5, 11.5, 12.5],
  count: [2, 3, 4],
  country: ['GB', 'DE', 'JP'],
  countries: ['GB DE', 'US CA', 'JP'],
} as const;

describe.each(engines)('on %s', (engine) => {
  test.each(productFieldNames)(
    'the field %s is added, edited, logged, exported, imported and in the form, and shown to those who may see it',
    async (name) => {
      await using shop = await startShop({ engine });
      const { label, kind, isOptional, visibleTo } = productFields[name];
      const [first, second, third] = samples[kind];
      const admin = await shop.admin();
      const headers = tokenHeaders(admin);
      const client = shop.client(admin);
      const { img } = await shop.addProduct();
      const examples = mapFields(productFieldNames, (one) => productFields[one].example);
      const body = { ...examples, email: admin.email, a_quantity: 20, img, [name]: first };
      const added = await sendCall(shop, 'addProduct', { body, headers });
      const { insertedId: id } = await added.json();
      const read = async () => (await client.call('getProduct', { params: { id } }))[name];
      const edit = async (value: unknown) => {
        const { version } = await client.call('getProduct', { params: { id } });
        const response = await sendCall(shop, 'editProduct', {
          params: { id },
          body: { version, [name]: value },
          headers,
        });
        expect(response.status).toBe(200);
      };
      const importCell = async (value: string) => {
        const file = new Request(`${shop.origin}/api/products/import`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'text/csv' },
          body: `id,${name}\n${id},"${value}"`,
        });
        expect((await shop.fetch(file)).status).toBe(200);
      };

      expect(await read()).toBe(first);
      const shown = await shop.client().call('getProduct', { params: { id } });
      expect(shown[name]).toBe(visibleTo === 'everyone' ? first : undefined);

      await edit(second);
      expect(await read()).toBe(second);
      const [entry] = await client.call('listAudit', {});
      expect(entry?.details).toMatch(new RegExp(`^${name}: `));

      const exported = await sendCall(shop, 'listProducts', { query: { format: 'csv' }, headers });
      const csv = await exported.text();
      expect(csv.split('\r\n')[0]?.split(',')).toContain(name);
      expect(csv).toContain(`${second}`);
      await importCell(`${third}`);
      expect(await read()).toBe(third);

      const form = await (await shop.send(`/dashboard/products/${id}`, {}, admin)).text();
      expect(form).toContain(`name="${name}"`);
      expect(form).toContain(isOptional ? `${label} (optional)` : label);

      if (!isOptional) return;
      await importCell('');
      expect(await read()).toBeUndefined();
      await edit(third);
      await edit(null);
      expect(await read()).toBeUndefined();
    },
  );
});
