import { stringify } from 'csv-stringify/sync';
import { createDownload } from './download.ts';

/**
 * Text that a spreadsheet would run as a formula, after any number of apostrophes
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const formula = String.raw`(?='*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])`;

/**
 * In countries with a decimal comma, spreadsheets split a file at semicolons, even within quotes, so a formula can follow a
 * semicolon.
 */
const innerFormula = String.raw`(?=['"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])`;

const formulas = new RegExp(String.raw`^${formula}|(?<=[;\t\r\n])${innerFormula}`, 'g');
const escapedFormulas = new RegExp(String.raw`^'${formula}|(?<=[;\t\r\n])'${innerFormula}`, 'g');

/**
 * Inserts an apostrophe before each part of a text that a spreadsheet would run as a formula, or before the whole text if a
 * spreadsheet would save it in another form.
 */
export const escapeFormula = (text: string): string =>
  isChanged(text) ? `'${text}` : text.replace(formulas, "'");

/** Reverses `escapeFormula`, for every text. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && isChanged(cell) ? cell.slice(1) : cell.replace(escapedFormulas, '');

/** Spreadsheets show a longer number as 1.23E+11, and save it in that form. */
const maxShownDigits = 11;

/** A number such as 007, 1.50, 1E5 or a tracking number. */
const number = /^\d[\d.,]*(e[+-]?\d+)?$/i;

const month =
  '(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)';

/** Dates, times, fractions and truth values. */
const converted = [
  // 3/4, 12-3, 3.4.26, 1 1/2, 1:87, 10:30 pm
  String.raw`(\d{1,4} )?\d{1,2}( ?[/.:-] ?\d{1,4}){1,2}( ?[ap]m?)?`,
  // 2026-05, 2026/05/03, 120:30
  String.raw`\d{3,4}( ?[/.:-] ?\d{1,2}){1,2}`,
  // 5 May, may-26, 5 May 2026, SEPT2
  String.raw`(?=.*\d)(\d{1,4}[ /.-]?)?${month}([ /.,-]{0,2}\d{1,4}){0,2}`,
  String.raw`\d{1,2} ?[ap]m?`,
  'true|false',
].map((pattern) => new RegExp(`^(${pattern})$`, 'i'));

/** Whether a spreadsheet would convert a text, apart from its leading apostrophes, and save it in another form. */
function isChanged(text: string): boolean {
  const bare = text.replace(/^'+/, '');
  if (number.test(bare)) return `${Number(bare)}` !== bare || bare.length > maxShownDigits;
  return converted.some((pattern) => pattern.test(bare));
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
    // Rows may be deleted while a batch is read, so a short batch need not be the last. Only an empty one is the end.
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
