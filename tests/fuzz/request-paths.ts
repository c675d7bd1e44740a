import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from './document.ts';
import { rawUrlPart } from './hostile.ts';
import { type ExampleValues, generateValid } from './values.ts';

/** Meaningful values by field name, as JSON text; `{{…}}` as in `Plan`. */
export const exampleValues: ExampleValues = {
  email: ['"{{email}}"', '"{{stranger}}"'],
  user: ['"{{email}}"', '"{{email}}"', '"{{stranger}}"'],
  orderId: ['"{{product}}"'],
  product: ['"{{product}}"'],
  order: ['"{{order}}"'],
  transactionId: ['"{{intent}}"'],
  img: ['"{{image}}"'],
  images: ['["{{image}}"]'],
  // The ordered product costs 2.
  orderQuantity: ['1', '2'],
  price: ['2', '2', '4'],
  limit: ['1', '2', '1000'],
  category: ['"Holding"'],
  facts: ['"Height: 62 mm\\nOpening: 28 mm"'],
  q: [
    '"vise"',
    '"mainsprng windr"',
    '"3 mm"',
    '"\\"a* OR b"',
    '"%_\'"',
    '"工具"',
    '"ing"',
    '"a b c d e f g h i"',
  ],
  minPrice: ['"1"', '"2.50"'],
  maxPrice: ['"2"', '"999999.99"'],
  after: ['"{{product}}"', '"{{order}}"'],
};

/** Values of a call's path parameter. Users that later plans need are never signed out or demoted. */
const callExamples: Record<string, string[]> = {
  getProduct: ['{{product}}'],
  listRelatedProducts: ['{{product}}'],
  listProductReviews: ['{{product}}'],
  editReview: ['{{review}}'],
  deleteReview: ['{{review}}'],
  hideReview: ['{{review}}'],
  showReview: ['{{review}}'],
  approveReview: ['{{review}}'],
  answerReview: ['{{review}}'],
  reportReview: ['{{review}}'],
  dismissReports: ['{{review}}'],
  requestBackInStock: ['{{product}}'],
  cancelBackInStock: ['{{product}}'],
  deleteProduct: ['{{product}}'],
  adjustStock: ['{{product}}'],
  listProductStock: ['{{product}}'],
  shipOrder: ['{{paid}}', '{{order}}'],
  refundOrder: ['{{paid}}', '{{paid}}', '{{order}}'],
  refundPurchase: ['{{paid}}', '{{order}}'],
  signOutUser: ['{{bystander}}'],
  removeAdmin: ['{{bystander}}'],
};

/** The path of a call, mostly with ids that exist. */
export function generatePath({ path, operationId }: Operation): Arbitrary<string> {
  const parts = path.split(/\{(\w+)\}/).map((part, index): Arbitrary<string> => {
    if (index % 2 === 0) return fc.constant(part);
    const examples =
      callExamples[operationId] ??
      (part === 'id' ? ['{{order}}', '{{order}}', '{{foreign}}'] : (exampleValues[part] ?? []).map(unquote));
    return fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...examples) },
      { weight: 1, arbitrary: rawUrlPart },
    );
  });
  return fc.tuple(...parts).map((all) => all.join(''));
}

/** The query of a call, including `?`, or ''. */
export function generateQuery({ parameters }: Operation): Arbitrary<string> {
  const each = parameters
    .filter((one) => one.in === 'query')
    .map(({ name, schema }) => {
      const value = fc.oneof(
        { weight: 4, arbitrary: generateValid(schema, exampleValues, name).map(unquote).map(escapeText) },
        { weight: 1, arbitrary: rawUrlPart },
      );
      return fc.oneof(
        fc.constant(''),
        value.map((text) => `${name}=${text}`),
        value.map((text) => `${name}=${text}`),
      );
    });
  const unusual = fc.oneof(
    { weight: 8, arbitrary: fc.constant('') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('limit', 'user', 'after', 'limit[]', '__proto__', 'key', 'a'), rawUrlPart)
        .map((pair) => pair.join('=')),
    },
    { weight: 1, arbitrary: rawUrlPart },
  );
  return fc.tuple(...each, unusual).map((pairs) => {
    const query = pairs.filter(Boolean).join('&');
    return query && `?${query}`;
  });
}

/** The string in JSON text; other JSON unchanged. */
const unquote = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json);
/** Encodes a query value, except for placeholders. */
const escapeText = (text: string) => (text.startsWith('{{') ? text : encodeURIComponent(text.toWellFormed()));

/** Methods and paths outside the OpenAPI document. */
export function generateStrayRequests(operations: Operation[]) {
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
    fc.array(rawUrlPart, { minLength: 1, maxLength: 3 }).map((all) => all.join('/')),
  );
  const methods = 'GET HEAD OPTIONS POST PUT PATCH DELETE TRACE PROPFIND PURGE QUERY'.split(' ');
  return {
    method: fc.oneof(fc.constant('GET'), fc.constantFrom(...methods)),
    path: fc.tuple(fc.constantFrom(...places), tail).map((parts) => parts.join('')),
  };
}
