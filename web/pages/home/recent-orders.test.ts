import { expect, test } from 'vitest';
import { catalogue } from '../../../seed/catalogue.ts';
import { sampleOrders } from './recent-orders.tsx';

test('the sample orders match the demo catalogue and its prices', () => {
  for (const [name, , quantity, total] of sampleOrders) {
    const tool = catalogue.find((entry) => entry.name === name);
    expect(tool && (tool.price * quantity) / 100, name).toBe(total);
    expect(tool?.minimum, name).toBeLessThanOrEqual(quantity);
  }
});
