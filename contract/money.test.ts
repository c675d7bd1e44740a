import { expect, test } from 'vitest';
import { createMoney } from './money.ts';

test('with no currency set cards say Taka, tables $, and what is charged is named', () => {
  const money = createMoney({ currency: undefined, chargedCurrency: 'USD' });
  expect([money.card(168), money.card(9.4), money.card(1250)]).toEqual([
    '168 Taka',
    '9.40 Taka',
    '1,250 Taka',
  ]);
  expect(money.table(18.8)).toBe('$18.80');
  expect(money.charged(18.8)).toBe('USD 18.80');
});

test('with a currency set every price is written in it', () => {
  const money = createMoney({ currency: 'EUR', chargedCurrency: 'EUR' });
  expect([money.card(9.4), money.table(9.4), money.charged(9.4)]).toEqual(['€9.40', '€9.40', '€9.40']);
});

test('an amount is never rounded, even in a currency usually shown without decimals', () => {
  const money = createMoney({ currency: 'HUF', chargedCurrency: 'HUF' });
  const shown = [money.card(175), money.card(175.5), money.charged(1175.05)];
  expect(shown.map((text) => text.replace(/\s/g, ' '))).toEqual(['HUF 175', 'HUF 175.50', 'HUF 1,175.05']);
});

test('an order of another currency names its own', () => {
  expect(createMoney({ currency: undefined, chargedCurrency: 'USD' }).table(5, 'EUR')).toBe('€5.00');
  expect(createMoney({ currency: 'EUR', chargedCurrency: 'EUR' }).table(5, 'USD')).toBe('$5.00');
});
