import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startShop } from '../../tests/support/shop.ts';
import { createSplicer } from './spliced.ts';

test("a person's page is the same compressed and not, whatever stands around the style sheet", async () => {
  const styles = 'h1 { color: brass } '.repeat(300);
  const compress = createSplicer(styles);
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary', maxLength: 5000 }),
      (title, rest) => {
        const before = title.replaceAll('<style>', '').toWellFormed();
        const page = `${before}<style>${styles}</style>${rest.toWellFormed()}`;
        expect(gunzipSync(compress(page)).toString()).toBe(page);
      },
    ),
  );

  const long = `${'é'.repeat(70_000)}<style>${styles}</style>`;
  expect(gunzipSync(compress(long)).toString()).toBe(long);

  await using shop = await startShop();
  const tom = await shop.signUp();
  const get = (encoding: string) =>
    shop.send('/dashboard', { headers: { 'accept-encoding': encoding } }, tom);
  const plain = await get('identity');
  const small = await get('gzip, br');
  expect(small.headers.get('content-encoding')).toBe('gzip');
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(gunzipSync(await small.arrayBuffer()).toString()).toBe(await plain.text());
});
