import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { exportColumns } from '../../../../contract/catalogue/product-file.ts';
import type { FileEncoding } from '../../../../contract/catalogue/product-import.ts';
import { invalid, ShopError } from '../../../../contract/errors.ts';
import { cleanText } from '../../../../contract/text.ts';

/** How a file is written: `rows` are its bytes in UTF-8 from the header on. */
type Dialect = { rows: Buffer; delimiter: string };

/** Line ends, the longest first. A file may mix them. */
export const lineEnds = ['\r\n', '\n', '\r'];

const delimiterNames: Record<string, string> = { ',': 'comma', ';': 'semicolon', '\t': 'tab' };
export const nameDelimiter = (delimiter: string): string => delimiterNames[delimiter] ?? `“${delimiter}”`;

/** XLSX and ODS files are ZIP archives. */
const zipStart = Buffer.from('PK\x03\x04');
/** Bytes that Windows-1252 does not define. */
const unassigned = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/** The encoding that a file is probably in. Throws 400 if the file cannot be read. */
export function detectEncoding(file: Buffer): FileEncoding {
  if (file.length === 0) throw new ShopError('unreadable', 'The file is empty. Choose another.');
  if (file.subarray(0, 4).equals(zipStart))
    throw new ShopError('unreadable', `This is a spreadsheet or an archive, not CSV. ${saveAdvice}`);
  // Text in UTF-16 has a zero byte in almost every character.
  if (file.subarray(0, 1000).includes(0))
    throw new ShopError('unreadable', `The file is encoded as UTF-16. ${saveAdvice}`);
  if (isUtf8(file)) return 'utf-8';
  if (unassigned.some((byte) => file.includes(byte)))
    throw new ShopError(
      'unreadable',
      `The file is encoded neither as UTF-8 nor as Windows-1252. ${saveAdvice}`,
    );
  return 'windows-1252';
}

export const saveAdvice = 'Save the file as “CSV UTF-8” and choose it again.';

/** A line such as `sep=;`. Excel writes and reads it before the header, and does not show it. */
const separatorLine = /^(?:\xEF\xBB\xBF)?"?sep=([^\w"\r\n])"?(?:\r\n|\r|\n)/i;

/** Throws 422 if the delimiter is ambiguous, or differs from the one that a `sep=` line states. */
export function readDialect(file: Buffer, encoding: FileEncoding): Dialect {
  const text = encoding === 'utf-8' ? file : Buffer.from(new TextDecoder(encoding).decode(file));
  const [line, stated] = separatorLine.exec(text.toString('latin1', 0, 20)) ?? [];
  const rows = text.subarray(line?.length ?? 0);
  const candidates = listDelimiters(rows);
  if (!stated) return { rows, delimiter: chooseDelimiter(candidates) };
  const [best] = candidates;
  if (best && countHeadings(rows, stated) < 2)
    throw invalid(
      'file',
      `The first line, sep=${stated}, says that ${nameDelimiter(stated)}s separate the cells, but the headings contain ${nameDelimiter(best.delimiter)}s. Remove that line.`,
    );
  return { rows, delimiter: stated };
}

/** The part of a file that is read to find the delimiter. */
const sampleBytes = 64_000;
const sampleRows = 20;

/**
 * Lists the delimiters that may be a file's, best first: a comma, or the semicolon or tab that spreadsheets use where the comma is
 * the decimal point. The best delimiter is one with which no row has more cells than headings. Among these, it is the one with the
 * most headings that the shop knows, then the one with the most headings.
 */
function listDelimiters(rows: Buffer) {
  const sample = rows.toString('utf8', 0, sampleBytes);
  return Object.keys(delimiterNames)
    .map((delimiter) => {
      const [header = [], ...others] = parseSample(sample, delimiter);
      const names = header.map((name) => cleanText(name).toLowerCase());
      return {
        delimiter,
        fits: others.every(({ length }) => length <= header.length),
        known: names.filter((name) => columnNames.has(name)).length,
        headings: header.length,
      };
    })
    .filter(({ headings }) => headings > 1)
    .sort((a, b) => Number(b.fits) - Number(a.fits) || b.known - a.known || b.headings - a.headings);
}

function chooseDelimiter([best, next]: ReturnType<typeof listDelimiters>): string {
  if (best && next && best.fits === next.fits && best.known === next.known && best.headings === next.headings)
    throw invalid(
      'file',
      `The headings contain as many ${nameDelimiter(best.delimiter)}s as ${nameDelimiter(next.delimiter)}s. Put each heading in quotation marks, or write sep=${best.delimiter} or sep=${next.delimiter} in a line above them.`,
    );
  return best?.delimiter ?? ',';
}

const countHeadings = (rows: Buffer, delimiter: string): number =>
  parseSample(rows.toString('utf8', 0, sampleBytes), delimiter)[0]?.length ?? 0;

const columnNames = new Set(exportColumns.map((column) => column.toLowerCase()));

/** The first rows of a sample, which may end within a row. */
function parseSample(sample: string, delimiter: string): string[][] {
  const records: string[][] = [];
  try {
    parse(sample, {
      bom: true,
      delimiter,
      record_delimiter: lineEnds,
      to: sampleRows,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (record: string[]) => void records.push(record),
    });
  } catch {
    // The sample ends within quotes, or the file is damaged: reading it reports where.
  }
  return records;
}
