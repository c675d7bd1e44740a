import fc from 'fast-check';
import { hostileText } from './hostile.ts';

const unusualHeaders: Record<string, string[]> = {
  accept: ['text/html', '*/*;q=0', ''],
  'accept-encoding': ['br', 'gzip;q=0.1, br;q=0', 'identity;q=0', '*', 'gzip, gzip, gzip'],
  authorization: [
    '',
    'Bearer',
    'Bearer a.b',
    'Basic YTpi',
    "Bearer ' or 1=1.x",
    'Bearer %',
    `Bearer ${'a.'.repeat(2000)}`,
  ],
  'content-encoding': ['gzip', 'br'],
  'content-type': [
    'text/plain',
    'application/json; charset=utf-16',
    'APPLICATION/JSON',
    '',
    'multipart/form-data',
  ],
  cookie: ['shop.session_token=%', 'shop.session_token=a.b', ';;=;', '__proto__=1', 'shop.session_token'],
  'idempotency-key': ['again', '', 'a b', 'é', 'x'.repeat(256), "' or 1=1", '__proto__'],
  'if-modified-since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'never'],
  'if-none-match': ['*', 'W/"a"', '"', ','],
  origin: ['null', 'https://elsewhere.example', '', 'http://localhost'],
  host: ['elsewhere.example', 'localhost', ''],
  range: ['bytes=0-1', 'bytes=-1', 'lines=1'],
  referer: ['javascript:alert(4711)'],
  'sec-fetch-site': ['cross-site', 'same-origin'],
  'stripe-signature': ['', 't=1,v1=00', 't=,v1='],
  'x-forwarded-for': ['127.0.0.1', "'; drop table rate_limit", ','.repeat(2000)],
  'x-forwarded-host': ['elsewhere.example'],
  'x-http-method-override': ['DELETE'],
};
const unusualHeader = fc.oneof(
  fc.constantFrom(
    ...Object.entries(unusualHeaders).flatMap(([name, values]) => values.map((value) => ({ [name]: value }))),
  ),
  // Only bytes that are allowed in a header.
  hostileText.map((text) => ({ 'x-unusual': text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?') })),
);
/** Mostly none, sometimes up to three unusual headers. */
export const headers = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .array(unusualHeader, { minLength: 1, maxLength: 3 })
      .map((all) => Object.assign({}, ...all)),
  },
);
