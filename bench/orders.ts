import { compare } from './compare.ts';
import { atLeast, report } from './report.ts';
import { openShop } from './shop.ts';

/** Orders placed with a bearer token, each on the disk before it is answered. */
const shop = await openShop();
try {
  const floorPort = await shop.startFloor();
  const person = await shop.signIn();
  const products = (await shop.products()).filter(({ o_quantity }) => o_quantity === 1);
  const requests = products.map((product) => shop.orderRequest(person, product));
  const count = () =>
    shop.withDatabase((database) =>
      Number(database.prepare('select count(*) as orders from orders').get()?.orders),
    );
  const rivals = { shop: { port: shop.port, requests }, floor: { port: floorPort, requests } };
  const results = [];
  for (const connections of [16, 1]) {
    const { ratio, shopRate, floorRate, shop: mine } = await compare(rivals, { connections });
    const value = `${ratio.toFixed(2)} (${Math.round(shopRate)} to ${Math.round(floorRate)} a second; p99 ${mine.p99.toFixed(1)} ms)`;
    const name = `\`POST /api/orders\`, ${connections} at once, of the floor`;
    results.push({ name, value, ...atLeast(0.6, ratio) });
  }
  report('Orders', [
    ...results,
    { name: 'Orders in the database afterwards', goal: '', value: `${count()}` },
  ]);
} finally {
  await shop.close();
}
