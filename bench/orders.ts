import { minuteMs } from '../contract/durations.ts';
import { compare } from './compare.ts';
import { atLeast, report } from './report.ts';
import { openShop } from './shop.ts';

/** Measures orders and purchases that are placed with a bearer token. Each is durable before its response. */

const linesPerPurchase = 5;

const shop = await openShop();
try {
  const baselinePort = await shop.startBaseline();
  // Take the lease for sending mail, so that no messages are sent. Thousands of orders exceed their customer's limit on messages, and
  // the removal of the excess would affect the measurement.
  shop.withDatabase((database) =>
    database
      .prepare("insert or replace into lease (name, holder, until) values ('mail', 'bench', ?)")
      .run(Date.now() + 5 * minuteMs),
  );
  const person = await shop.signIn();
  const products = (await shop.products()).filter(({ o_quantity }) => o_quantity === 1);
  const requests = products.map((product) => shop.orderRequest(person, product));
  const count = () =>
    shop.withDatabase((database) =>
      Number(database.prepare('select count(*) as orders from order_line').get()?.orders),
    );
  const targets = { shop: { port: shop.port, requests }, baseline: { port: baselinePort, requests } };
  const results = [];
  for (const connections of [16, 1]) {
    const { ratio, shopRate, baselineRate, shop: shopResult } = await compare(targets, { connections });
    const value = `${ratio.toFixed(2)} (${Math.round(shopRate)} vs. ${Math.round(baselineRate)} per second; p99 ${shopResult.p99.toFixed(1)} ms)`;
    const name = `\`POST /api/orders\`, ${connections} concurrent, vs. baseline`;
    results.push({ name, value, ...atLeast(0.6, ratio) });
  }
  const { port } = shop;
  const purchases = products.map((_, index) =>
    shop.purchaseRequest(
      person,
      [...products.slice(index), ...products.slice(0, index)].slice(0, linesPerPurchase),
    ),
  );
  const purchase = await compare(
    { shop: { port, requests: purchases }, baseline: { port, requests } },
    { connections: 1 },
  );
  const orderMs = (1000 * linesPerPurchase) / purchase.baselineRate;
  results.push({
    name: `\`POST /api/purchases\` with ${linesPerPurchase} lines, vs. ${linesPerPurchase} single orders`,
    value: `${(linesPerPurchase * purchase.ratio).toFixed(2)} (${(1000 / purchase.shopRate).toFixed(2)} vs. ${orderMs.toFixed(2)} ms)`,
    ...atLeast(2, linesPerPurchase * purchase.ratio),
  });
  report('Orders', [
    ...results,
    { name: 'Orders in the database afterwards', goal: '', value: `${count()}` },
  ]);
} finally {
  await shop.close();
}
