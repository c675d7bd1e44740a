import { compare } from './compare.ts';
import { buildRequest } from './generator.ts';
import { atLeast, report } from './report.ts';
import { openShop } from './shop.ts';

/** The home page as a visitor's browser asks for it, compressed; the floor has the same bytes in its memory. */
const shop = await openShop();
try {
  const floorPort = await shop.startFloor();
  const headers = { 'accept-encoding': 'gzip, deflate, br' };
  const page = await fetch(shop.origin, { headers: { ...headers, connection: 'close' } });
  if (page.headers.get('content-encoding') !== 'br') throw new Error('The page is not compressed.');
  await fetch(`http://127.0.0.1:${floorPort}/page`, {
    method: 'POST',
    body: await shop.rawBody('/', headers),
  });

  const request = (port: number, known = {}) => ({
    port,
    requests: [buildRequest(port, '/', { ...headers, ...known })],
  });
  const floor = request(floorPort);
  const whole = await compare({ shop: request(shop.port), floor });
  const known = { 'if-none-match': page.headers.get('etag') ?? '' };
  const again = await compare({ shop: request(shop.port, known), floor });
  const rates = ({ shopRate, floorRate }: typeof whole) =>
    `(${Math.round(shopRate)} to ${Math.round(floorRate)} a second)`;
  report('Home page', [
    {
      name: 'Home page for a visitor, of the floor',
      value: `${whole.ratio.toFixed(2)} ${rates(whole)}`,
      ...atLeast(0.8, whole.ratio),
    },
    {
      name: 'The same again, 304, of the floor giving all of it',
      goal: '',
      value: `${again.ratio.toFixed(2)} ${rates(again)}`,
    },
  ]);
} finally {
  await shop.close();
}
