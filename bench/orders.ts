import { compare } from './compare.ts';
import { atLeast, report } from './report.ts';
import { openShop } from './shop.ts';

/** Orders placed with a bearer token, each durable before its response. */
const shop = await openShop();
try {
  const baselinePort = await shop.startBaseline();
  const person = await shop.signIn();
  const products = (await shop.products()).filter(({ o_quantity }) => o_quantity === 1);
  const requests = products.map((product) => shop.orderRequest(person, product));
  const count = () =>
    shop.withDatabase((database) =>
      Number(database.prepare('select count(*) as orders from orders').get()?.orders),
    );
  const targets = { shop: { port: shop.port, requests }, baseline: { port: baselinePort, requests } };
  const results = [];
  for (const connections of [16, 1]) {
    const { ratio, shopRate, baselineRate, shop: shopResult } = await compare(targets, { connections });
    const value = `${ratio.toFixed(2)} (${Math.round(shopRate)} vs. ${Math.round(baselineRate)} per second; p99 ${shopResult.p99.toFixed(1)} ms)`;
    const name = `\`POST /api/orders\`, ${connections} concurrent, vs. baseline`;
    results.push({ name, value, ...atLeast(0.6, ratio) });
  }
  report('Orders', [
    ...results,
    { name: 'Orders in the database afterwards', goal: '', value: `${count()}` },
  ]);
} finally {
  await shop.close();
}
