import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from './document.ts';
import { rawPiece } from './hostile.ts';
import { fitting, type Known } from './values.ts';

/** What fields of these names mean in this shop; `{{…}}` as in `Plan`. */
export const known: Known = {
  email: ['"{{email}}"', '"{{stranger}}"'],
  user: ['"{{email}}"', '"{{email}}"', '"{{stranger}}"'],
  orderId: ['"{{product}}"'],
  order: ['"{{order}}"'],
  transactionId: ['"{{intent}}"'],
  img: ['"{{image}}"'],
  // The product that is ordered costs 2.
  orderQuantity: ['1', '2'],
  price: ['2', '2', '4'],
  limit: ['1', '2', '1000'],
  after: ['"{{product}}"', '"{{order}}"'],
};

/** What `{id}` means depends on the call. */
const ids: Record<string, string[]> = {
  getProduct: ['{{product}}'],
  deleteProduct: ['{{product}}'],
  shipOrder: ['{{paid}}', '{{order}}'],
};

/** A call's path, mostly with something that is there. */
export function pathOf({ path, operationId }: Operation): Arbitrary<string> {
  const parts = path.split(/\{(\w+)\}/).map((part, at): Arbitrary<string> => {
    if (at % 2 === 0) return fc.constant(part);
    const meant =
      part === 'id'
        ? (ids[operationId] ?? ['{{order}}', '{{order}}', '{{foreign}}'])
        : (known[part] ?? []).map(unquote);
    return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...meant) }, { weight: 1, arbitrary: rawPiece });
  });
  return fc.tuple(...parts).map((all) => all.join(''));
}

/** Its query, from `?` on, or ''. */
export function queryOf({ parameters }: Operation): Arbitrary<string> {
  const each = parameters
    .filter((one) => one.in === 'query')
    .map(({ name, schema }) => {
      const value = fc.oneof(
        { weight: 4, arbitrary: fitting(schema, known, name).map(unquote).map(escapeText) },
        { weight: 1, arbitrary: rawPiece },
      );
      return fc.oneof(
        fc.constant(''),
        value.map((text) => `${name}=${text}`),
        value.map((text) => `${name}=${text}`),
      );
    });
  const odd = fc.oneof(
    { weight: 8, arbitrary: fc.constant('') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('limit', 'user', 'after', 'limit[]', '__proto__', 'key', 'a'), rawPiece)
        .map((pair) => pair.join('=')),
    },
    { weight: 1, arbitrary: rawPiece },
  );
  return fc.tuple(...each, odd).map((pairs) => {
    const query = pairs.filter(Boolean).join('&');
    return query && `?${query}`;
  });
}

/** JSON text of a string as the string itself. */
const unquote = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json);
/** A value in an address; what stands for something is left as it is. */
const escapeText = (text: string) => (text.startsWith('{{') ? text : encodeURIComponent(text.toWellFormed()));

/** Methods and paths beside the document's calls. */
export function strays(operations: Operation[]) {
  const places = [
    ...'/ /login /login?from= /products /purchase/ /dashboard /dashboard/payment/ /* // /? /# * /healthz'.split(
      ' ',
    ),
    ...'/images/ /static/ /1/ /static/../../package.json /.env /.git/config /%2e%2e/ /metrics /robots.txt'.split(
      ' ',
    ),
    ...'/api /api/ /api/openapi.json /api/auth/ /api/webhooks/ http://elsewhere.example/api/products'.split(
      ' ',
    ),
    ...operations.map(({ path }) => path.replace(/\{\w+\}/, '')),
  ];
  const tail = fc.oneof(
    fc.constant(''),
    fc.array(rawPiece, { minLength: 1, maxLength: 3 }).map((all) => all.join('/')),
  );
  const methods = 'GET HEAD OPTIONS POST PUT PATCH DELETE TRACE PROPFIND PURGE QUERY'.split(' ');
  return {
    method: fc.oneof(fc.constant('GET'), fc.constantFrom(...methods)),
    path: fc.tuple(fc.constantFrom(...places), tail).map((parts) => parts.join('')),
  };
}
