import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, type InfoField, parse } from 'csv-parse';
import {
  columnLabels,
  exportColumns,
  type FileColumn,
  isLongColumn,
  maxImportRows,
} from '../../../../contract/catalogue/product-file.ts';
import type { FileEncoding } from '../../../../contract/catalogue/product-import.ts';
import { invalid, ShopError } from '../../../../contract/errors.ts';
import { cleanText } from '../../../../contract/text.ts';
import { unescapeFormula } from '../../../http/calls/csv.ts';
import { lineEnds, nameDelimiter, readDialect } from './dialect.ts';

/** The trimmed cells of a row, by column. `row` counts as a spreadsheet does: the header is row 1. */
export type CsvRow = { row: number; cells: Partial<Record<FileColumn, string>> };

/** More than a row has with every field quoted and at its maximum length. */
const maxRowCharacters = 20_000;
/** More than the file's own columns: spreadsheets also save columns without a name, which are ignored. */
const maxColumns = 100;
/** Other requests are served after each chunk, even of a file of empty lines, which has as many rows as bytes. */
const chunkBytes = 2048;

/**
 * Reads the rows of a file. `columnNames` replaces the names in its first row, cell by cell; an empty name ignores the column.
 * Throws 400 or 422 if the whole file is invalid.
 */
export async function* readRows(
  file: Buffer,
  encoding: FileEncoding,
  columnNames?: string[],
): AsyncGenerator<CsvRow> {
  const { rows, delimiter } = readDialect(file, encoding);
  const parser = Readable.from(splitIntoChunks(rows)).pipe(
    parse({
      bom: true,
      delimiter,
      record_delimiter: lineEnds,
      max_record_size: maxRowCharacters,
      cast: createCellLimit(delimiter),
      // Excel omits empty cells at the end of a row.
      relax_column_count_less: true,
    }),
  );
  let row = 0;
  let header: string[] = [];
  let columns: (FileColumn | undefined)[] = [];
  try {
    for await (const record of parser) {
      row += 1;
      const cells: string[] = record;
      if (row === 1) header = cells.map(cleanHeading);
      if (row === 2) columns = findColumns(header, columnNames, cells);
      if (row === 1) continue;
      if (row > maxImportRows + 1) throw tooManyRows();
      else if (cells.some((cell) => cell.trim() !== '')) yield { row, cells: nameCells(cells, columns) };
    }
  } catch (error) {
    throw error instanceof CsvError ? describeCsvError(error) : error;
  }
  if (row === 1) findColumns(header, columnNames, []);
  if (row < 2) throw invalid('file', 'The file has no rows below its header.');
}

async function* splitIntoChunks(file: Buffer) {
  for (let index = 0; index < file.length; index += chunkBytes) {
    yield file.subarray(index, index + chunkBytes);
    await setImmediate();
  }
}

/** Rejects a row as soon as it has too many cells: the parser limits only their characters. */
function createCellLimit(delimiter: string) {
  let headerCells = 0;
  return (cell: string, { index, records }: InfoField) => {
    if (records === 0) headerCells = index + 1;
    if (headerCells > maxColumns)
      throw invalid('file', `The first row has more than ${maxColumns} cells. Delete the empty columns.`);
    if (index >= headerCells) throw tooManyCells(records + 1, delimiter);
    return cell;
  };
}

const columnsByName = new Map<string, FileColumn>(
  exportColumns.map((column) => [column.toLowerCase(), column]),
);

/** The column of each cell. A column without a name is undefined. The error for unknown names lists what to choose from. */
function findColumns(
  header: string[],
  columnNames: string[] | undefined,
  firstRow: string[],
): (FileColumn | undefined)[] {
  const names = columnNames ? header.map((_, index) => columnNames[index]?.trim() ?? '') : header;
  const columns = names.map((name) => columnsByName.get(name.toLowerCase()));
  const unknown = names.filter((name, index) => name !== '' && !columns[index]).map(shorten);
  const known = exportColumns.join(', ');
  if (unknown.length > 0) {
    const message = `Unknown columns in the first row: ${unknown.slice(0, 10).join(', ')}. Remove or rename them. The columns are: ${known}.`;
    const headings = header.map((heading, index) => ({
      heading: shorten(heading),
      example: shorten(firstRow[index] ?? ''),
      column: columns[index] ?? '',
    }));
    throw new ShopError('invalid', message, { data: { headings }, errors: [{ field: 'file', message }] });
  }
  const repeated = columns.find((column, index) => column && columns.indexOf(column) !== index);
  if (repeated)
    throw invalid(
      'file',
      columnNames
        ? `Two headings are set to ${columnLabels[repeated]}. Change one.`
        : `The column ${repeated} appears twice. Remove one.`,
    );
  if (!columns.includes('id') && !columns.includes('name'))
    throw invalid(
      'file',
      columnNames
        ? 'None of the headings is set to Name or Id. Choose the one that identifies the products.'
        : `The first row must name the columns, at least id or name. The columns are: ${known}.`,
    );
  return columns;
}

/** A heading may have several lines. */
const cleanHeading = (cell: string): string => cleanText(cell).replaceAll(/\s+/g, ' ');

const shorten = (cell: string): string => cell.trim().slice(0, 50);

/** Spreadsheets save line breaks as CRLF; the shop's own forms send LF. */
export const normalizeText = (text: string): string => text.replaceAll('\r\n', '\n').trim();

function nameCells(cells: string[], columns: (FileColumn | undefined)[]): CsvRow['cells'] {
  const named: CsvRow['cells'] = {};
  for (const [index, column] of columns.entries())
    if (column) {
      const cell = normalizeText(unescapeFormula(cells[index] ?? ''));
      named[column] = isLongColumn(column) ? cell : cleanText(cell);
    }
  return named;
}

const tooManyRows = () =>
  new ShopError('too_large', `A file may have at most ${maxImportRows} rows. Split it into several files.`);

const tooManyCells = (row: number, delimiter: string) =>
  invalid(
    'file',
    `Row ${row} has more cells than the header. Put a cell with a ${nameDelimiter(delimiter)} in quotation marks.`,
  );

function describeCsvError({ code, ...error }: CsvError): ShopError {
  // The number of records before the error.
  const row = Number(error.records) + 1;
  if (code === 'CSV_MAX_RECORD_SIZE')
    return invalid('file', `Row ${row} is too long. Check whether a closing quotation mark is missing.`);
  if (code === 'CSV_QUOTE_NOT_CLOSED') return invalid('file', `Row ${row} has no closing quotation mark.`);
  return invalid(
    'file',
    `Row ${row} has a quotation mark in the wrong place. Put the whole cell in quotation marks, and double those inside it.`,
  );
}
