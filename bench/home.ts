/** The compressed home page as a visitor's browser requests it; the baseline serves the same bytes from memory. */

import { type Comparison, compare, compareProcesses } from './compare.ts';
import { buildRequest } from './generator.ts';
import { atLeast, report } from './report.ts';
import { openShop } from './shop.ts';

const [full, notModified] = await compareProcesses(compareHome);
if (!full || !notModified) throw new Error('Nothing was measured.');
const rates = ({ shopRate, baselineRate }: Comparison) =>
  `(${Math.round(shopRate)} vs. ${Math.round(baselineRate)} per second)`;
report('Home page', [
  {
    name: 'Home page for a visitor, vs. baseline',
    value: `${full.ratio.toFixed(2)} ${rates(full)}`,
    ...atLeast(0.8, full.ratio),
  },
  {
    name: 'Home page not modified (304), vs. baseline with the full page',
    goal: '',
    value: `${notModified.ratio.toFixed(2)} ${rates(notModified)}`,
  },
]);

async function compareHome(): Promise<Comparison[]> {
  await using stack = new AsyncDisposableStack();
  const shop = stack.adopt(await openShop(), (opened) => opened.close());
  const baselinePort = await shop.startBaseline();
  const headers = { 'accept-encoding': 'gzip, deflate, br' };
  const page = await fetch(shop.origin, { headers: { ...headers, connection: 'close' } });
  if (page.headers.get('content-encoding') !== 'br') throw new Error('The page is not compressed.');
  await fetch(`http://127.0.0.1:${baselinePort}/page`, {
    method: 'POST',
    body: await shop.rawBody('/', headers),
  });

  const request = (port: number, extraHeaders = {}) => ({
    port,
    requests: [buildRequest(port, '/', { ...headers, ...extraHeaders })],
  });
  const baseline = request(baselinePort);
  const conditional = { 'if-none-match': page.headers.get('etag') ?? '' };
  return [
    await compare({ shop: request(shop.port), baseline }),
    await compare({ shop: request(shop.port, conditional), baseline }),
  ];
}
