/** The first visit with a slow phone, as Lighthouse simulates it: as a visitor, and signed in. */

import lighthouse from 'lighthouse';
import Trace from 'lighthouse/core/gather/gatherers/trace.js';
import { launchDebuggableBrowser } from '../tests/support/debuggable-browser.ts';
import { median } from './compare.ts';
import { report } from './report.ts';
import { openShop } from './shop.ts';

const runs = 5;
// Chromium’s packaged build crashes while it records this one, which no figure needs.
const categories = Trace.getDefaultTraceCategories().filter((name) => name !== 'blink.webdx_feature_usage');
Trace.getDefaultTraceCategories = () => categories;

const shop = await openShop();
try {
  const { cookie } = await shop.signIn();
  const [product] = await shop.products();
  const pages = [
    { name: 'Home page', path: '/', score: 100 },
    { name: 'Home page, signed in', path: '/', score: 98, cookie },
    { name: 'Catalogue, signed in', path: '/products', score: 98, cookie },
    { name: 'A product, signed in', path: `/purchase/${product?._id}`, score: 98, cookie },
  ];
  const measured = pages.map((page) => ({ ...page, visits: [] as Visit[] }));
  // The pages take turns, so that other load on the machine affects all of them.
  for (let run = 0; run < runs; run++)
    for (const { path, cookie, visits } of measured) visits.push(await visit(shop.origin + path, cookie));
  report(
    'Page load on a slow phone',
    measured.map(({ name, score: goal, visits }) => {
      const [score, paint, shift] = (['score', 'paint', 'shift'] as const).map((key) =>
        median(visits.map((each) => each[key])),
      );
      if (score === undefined || paint === undefined || shift === undefined) throw new Error('No visits.');
      return {
        name,
        goal: `score ≥ ${goal}, largest paint ≤ 1,800 ms, layout shift ≤ 0.02`,
        value: `${score}, ${Math.round(paint)} ms, ${shift.toFixed(3)}`,
        passed: score >= goal && paint <= 1800 && shift <= 0.02,
      };
    }),
  );
} finally {
  await shop.close();
}

type Visit = { score: number; paint: number; shift: number };

/** Opens a page with an empty cache. */
async function visit(url: string, cookie: string | undefined): Promise<Visit> {
  const browser = await launchDebuggableBrowser();
  try {
    const result = await lighthouse(url, {
      port: browser.port,
      logLevel: 'silent',
      onlyCategories: ['performance'],
      skipAudits: ['baseline'],
      disableFullPageScreenshot: true,
      ...(cookie ? { extraHeaders: { cookie } } : {}),
    });
    if (!result || result.lhr.runtimeError)
      throw new Error(`Lighthouse failed: ${result?.lhr.runtimeError?.message}`);
    const { audits, categories } = result.lhr;
    return {
      score: Math.round((categories.performance?.score ?? 0) * 100),
      paint: audits['largest-contentful-paint']?.numericValue ?? Number.POSITIVE_INFINITY,
      shift: audits['cumulative-layout-shift']?.numericValue ?? Number.POSITIVE_INFINITY,
    };
  } finally {
    await browser.close();
  }
}
