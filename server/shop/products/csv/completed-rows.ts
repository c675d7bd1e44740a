import { z } from 'zod';
import { type FileColumn, isLongColumn } from '../../../../contract/catalogue/product-file.ts';
import { invalid } from '../../../../contract/errors.ts';
import { cleanText } from '../../../../contract/text.ts';
import { requiredColumns } from './cells.ts';
import { type CsvRow, normalizeText } from './read.ts';

/** Values that an admin has entered in the preview for the empty cells of rows, by row. */
export type CompletedRows = ReadonlyMap<number, CsvRow['cells']>;

/** How many rows can be completed. A file with more new products must contain their values. */
export const maxCompletedRows = 500;
const cell = z.string().max(10_000);
const completedRows = z
  .array(z.object({ row: z.int(), cells: z.record(z.string().max(20), cell) }))
  .max(maxCompletedRows);

/**
 * Splits a request's body into the file and, in the last `bytes` bytes, the values for the file's rows. Throws 422 for invalid
 * values.
 */
export function splitBody(body: Buffer, bytes: number): { file: Buffer; completed: CompletedRows } {
  if (bytes === 0) return { file: body, completed: new Map() };
  const end = Math.max(body.length - bytes, 0);
  const rows = completedRows.safeParse(parseJson(body.toString('utf8', end)));
  if (!rows.success)
    throw invalid(
      'completed',
      `The body must end with the values of at most ${maxCompletedRows} rows as JSON`,
    );
  const completed = new Map(rows.data.map(({ row, cells }) => [row, normalizeCells(cells)]));
  return { file: body.subarray(0, end), completed };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps only the columns that a new product needs. */
function normalizeCells(cells: Record<string, string>): CsvRow['cells'] {
  const normalized: Partial<Record<FileColumn, string>> = {};
  for (const column of requiredColumns) {
    const text = normalizeText(cells[column] ?? '');
    if (text) normalized[column] = isLongColumn(column) ? text : cleanText(text);
  }
  return normalized;
}
