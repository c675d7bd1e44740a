import { expect, test } from 'vitest';
import { catalogue } from '../../../seed/catalogue.ts';
import { sample } from './recent-orders.tsx';

test('the sample orders are of tools of the catalogue, at its prices', () => {
  for (const [name, , quantity, total] of sample) {
    const tool = catalogue.find((entry) => entry.name === name);
    expect(tool && (tool.price * quantity) / 100, name).toBe(total);
    expect(tool?.minimum, name).toBeLessThanOrEqual(quantity);
  }
});
