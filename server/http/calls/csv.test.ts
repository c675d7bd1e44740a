import { expect, test } from 'vitest';
import { createCsvResponse } from './csv.ts';

test('a batch that is short because rows were deleted while it was read does not end the file', async () => {
  const numbers = Array.from({ length: 1200 }, (_, index) => index);
  const readAfter = async (last = -1, limit: number) =>
    numbers.slice(last + 1, last + 1 + limit).filter((number) => number !== 7);
  const response = createCsvResponse('numbers.csv', ['number'], readAfter, (number) => [`${number}`]);
  const lines = (await response.text()).trim().split('\r\n');
  expect(lines.slice(1)).toEqual(numbers.filter((number) => number !== 7).map(String));
});
