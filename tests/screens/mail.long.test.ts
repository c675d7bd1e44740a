import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import { simpleParser } from 'mailparser';
import { expect, test } from 'vitest';
import { getBrowser } from '../support/browser.ts';
import { sendMailSamples } from '../support/mail-samples.ts';
import { startShop } from '../support/shop.ts';

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test('every kind of message is accessible and fits a phone, in light and dark mode and without its style sheet', async () => {
  await using shop = await startShop({
    settings: {
      SHOP_ADDRESS: '1 Dial Lane\\nPrescot',
      SHOP_TAX_ID: 'VAT 1',
      CONTACT_EMAIL: 'owner@mail.example',
    },
  });
  await shop.listen();
  const browser = await getBrowser();
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
  const problems: string[] = [];
  for (const { kind, raw } of await sendMailSamples(shop)) {
    const { html } = await simpleParser(raw);
    for (const variant of ['light', 'dark', 'plain'] as const) {
      await page.emulateMedia({ colorScheme: variant === 'dark' ? 'dark' : 'light' });
      await page.setContent(variant === 'plain' ? `${html}`.replace(/<style>.*?<\/style>/s, '') : `${html}`);
      await page.evaluate(axeScript);
      const found = await page.evaluate(async () => {
        const { violations } = await window.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] });
        const { scrollWidth, clientWidth } = document.documentElement;
        return [
          ...violations.flatMap(({ nodes }) =>
            nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
          ),
          ...(scrollWidth > clientWidth ? [`${scrollWidth} px wide`] : []),
        ];
      });
      // Gmail cuts long messages off, so the names' typeface is only in the style sheet.
      const families = await page
        .locator('h1, .tool')
        .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).fontFamily));
      if (variant !== 'plain' && new Set(families).size > 1) found.push('headings and names differ');
      problems.push(...found.map((problem) => `${kind}, ${variant}: ${problem}`));
    }
  }
  await page.close();
  expect(problems).toEqual([]);
});

declare global {
  interface Window {
    axe: typeof axe;
  }
}
