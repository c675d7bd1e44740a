import { stringify } from 'csv-stringify/sync';

/**
 * Text that a spreadsheet would run as a formula, after any number of apostrophes
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const formula = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Prefixes an apostrophe to text that a spreadsheet would run as a formula. */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** Reverses `escapeFormula`, for every text. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;

/** Excel reads a file without a byte order mark in the encoding of the computer's region. */
const byteOrderMark = '\uFEFF';

/** A download that opens in a spreadsheet. `batches` are read only as fast as the client receives them. */
export function createCsvResponse(
  fileName: string,
  columns: readonly string[],
  batches: AsyncIterable<string[][]>,
): Response {
  async function* write() {
    yield byteOrderMark + toCsv([[...columns]]);
    for await (const rows of batches) yield toCsv(rows);
  }
  const chunks = write();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(Buffer.from(value));
    },
    cancel: async () => void (await chunks.return()),
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'private, no-store',
      vary: 'Cookie, Authorization',
    },
  });
}

/** RFC 4180. A line break of either kind is quoted. */
const toCsv = (rows: string[][]): string =>
  stringify(
    rows.map((row) => row.map(escapeFormula)),
    { record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  );
