import fc from 'fast-check';
import { brokenBody, hostileText, unexpectedJson } from './hostile.ts';
import type { Plan } from './plan.ts';

const eventObjects = fc.oneof(
  fc
    .record(
      {
        id: fc.oneof(fc.constant('{{intent}}'), hostileText),
        object: fc.constant('payment_intent'),
        status: fc.constantFrom('succeeded', 'processing', ''),
        currency: fc.constantFrom('usd', ''),
        metadata: fc.constantFrom({}, null, { shop: 'another', order: '' }),
      },
      { requiredKeys: ['id'] },
    )
    .map((intent) => JSON.stringify({ object: intent })),
  unexpectedJson,
);

/** Webhook events: valid ones, with existing or unknown intents, and malformed ones. */
export const events = fc
  .record({
    type: fc.constantFrom(
      'payment_intent.succeeded',
      'payment_intent.canceled',
      'charge.refunded',
      '__proto__',
    ),
    livemode: fc.constantFrom('false', 'false', 'true', 'null'),
    data: eventObjects,
  })
  .map(
    ({ type, livemode, data }) =>
      `{"id":"evt_1","object":"event","type":"${type}","livemode":${livemode},"data":${data}}`,
  );

const boundary = 'fuzz-4711';
// One pixel, as PNG.
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
).toString('latin1');

const files = fc.oneof(
  { weight: 3, arbitrary: fc.constant(png) },
  // Truncated, or with one byte changed.
  { weight: 1, arbitrary: fc.nat(png.length).map((end) => png.slice(0, end)) },
  { weight: 1, arbitrary: fc.nat(png.length - 1).map((at) => `${png.slice(0, at)}\xff${png.slice(at + 1)}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'GIF89a',
      '\xff\xd8\xff',
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'RIFF\0\0\0\0WEBP',
    ),
  },
  { weight: 1, arbitrary: brokenBody },
);
const dispositions = fc.oneof(
  { weight: 5, arbitrary: fc.constant('name="image"; filename="a.png"') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'name="image"',
      'name=image; filename=a',
      'name="file"; filename="a"',
      '',
      ';;;',
      'name="',
    ),
  },
  { weight: 1, arbitrary: hostileText.map((name) => `name="image"; filename="${name}"`) },
);
const frames = fc.oneof(
  { weight: 5, arbitrary: fc.constant([`--${boundary}`, `\r\n--${boundary}--\r\n`] as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ['', ''] as const,
      [`--${boundary}`, ''] as const,
      [`--${boundary}\n`, `--${boundary}`] as const,
    ),
  },
);

type Upload = Pick<Plan, 'headers' | 'encoding'> & { body: string };

/** Image uploads, valid and malformed. */
export const uploads = fc.tuple(files, dispositions, frames).map(
  ([file, disposition, [opening, end]]): Upload => ({
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${opening}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${file}${end}`,
    encoding: 'latin1',
  }),
);
