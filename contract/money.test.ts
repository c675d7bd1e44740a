import { expect, test } from 'vitest';
import { createMoney } from './money.ts';

test('without SHOP_CURRENCY, cards use Taka, tables use $ and charged amounts name their currency', () => {
  const money = createMoney({ currency: undefined, chargedCurrency: 'USD' });
  expect([money.card(168), money.card(9.4), money.card(1250)]).toEqual([
    '168 Taka',
    '9.40 Taka',
    '1,250 Taka',
  ]);
  expect(money.table(18.8)).toBe('$18.80');
  expect(money.charged(18.8)).toBe('USD 18.80');
});

test('with SHOP_CURRENCY, every price uses that currency', () => {
  const money = createMoney({ currency: 'EUR', chargedCurrency: 'EUR' });
  expect([money.card(9.4), money.table(9.4), money.charged(9.4)]).toEqual(['€9.40', '€9.40', '€9.40']);
});

test('amounts are never rounded, even in a currency usually shown without decimals', () => {
  const money = createMoney({ currency: 'HUF', chargedCurrency: 'HUF' });
  const shown = [money.card(175), money.card(175.5), money.charged(1175.05)];
  expect(shown.map((text) => text.replace(/\s/g, ' '))).toEqual(['HUF 175', 'HUF 175.50', 'HUF 1,175.05']);
});

test('an order placed in another currency is shown in that currency', () => {
  expect(createMoney({ currency: undefined, chargedCurrency: 'USD' }).table(5, 'EUR')).toBe('€5.00');
  expect(createMoney({ currency: 'EUR', chargedCurrency: 'EUR' }).table(5, 'USD')).toBe('$5.00');
});
