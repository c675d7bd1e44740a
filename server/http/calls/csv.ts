import { stringify } from 'csv-stringify/sync';
import { createDownload } from './download.ts';

/**
 * Text that a spreadsheet would run as a formula, after any number of apostrophes
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const formula = String.raw`(?='*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])`;

/** In countries with a decimal comma, spreadsheets split a file at semicolons, even within quotes, so a formula can follow one. */
const innerFormula = String.raw`(?=['"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])`;

const formulas = new RegExp(String.raw`^${formula}|(?<=[;\t\r\n])${innerFormula}`, 'g');
const escapedFormulas = new RegExp(String.raw`^'${formula}|(?<=[;\t\r\n])'${innerFormula}`, 'g');

/**
 * Inserts an apostrophe before each part of a text that a spreadsheet would run as a formula, and before a number that it
 * would save differently.
 */
export const escapeFormula = (text: string): string =>
  isChangedNumber(text) ? `'${text}` : text.replace(formulas, "'");

/** Reverses `escapeFormula`, for every text. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && isChangedNumber(cell) ? cell.slice(1) : cell.replace(escapedFormulas, '');

/** Spreadsheets show a longer number as 1.23E+11, and save it in that form. */
const maxShownDigits = 11;

/** Whether a text, after any apostrophes, is a number that spreadsheets change, such as 007, 1.50, 1E5 or a tracking number. */
function isChangedNumber(text: string): boolean {
  const number = /^'*(\d[\d.,]*(?:e[+-]?\d+)?)$/i.exec(text)?.[1];
  return number !== undefined && (`${Number(number)}` !== number || number.length > maxShownDigits);
}

/** Excel reads a file without a byte order mark in the encoding of the computer's region. */
const byteOrderMark = '\uFEFF';

const batchSize = 500;

/**
 * A download that opens in a spreadsheet. `readAfter` returns up to `limit` rows after `last`, or the first ones. Batches are
 * read only as fast as the client receives them; reading stops when the client disconnects.
 */
export function createCsvResponse<Row>(
  fileName: string,
  columns: readonly string[],
  readAfter: (last: Row | undefined, limit: number) => Promise<Row[]>,
  toCells: (row: Row) => string[],
): Response {
  async function* write() {
    yield byteOrderMark + toCsv([[...columns]]);
    // A batch can lack rows that were deleted while it was read, so only an empty one is the end.
    for (let rows = await readAfter(undefined, batchSize); rows.length > 0; ) {
      yield toCsv(rows.map(toCells));
      rows = await readAfter(rows.at(-1), batchSize);
    }
  }
  return createDownload(fileName, 'text/csv; charset=utf-8', write());
}

/** RFC 4180. A cell with a lone CR or LF is quoted, too. */
const toCsv = (rows: string[][]): string =>
  stringify(
    rows.map((row) => row.map(escapeFormula)),
    { record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  );
