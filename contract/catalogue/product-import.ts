import { z } from 'zod';
import type { Call } from '../call.ts';
import { paths } from '../paths.ts';

const fileEncoding = z.enum(['utf-8', 'windows-1252'], 'Encoding must be utf-8 or windows-1252');
export type FileEncoding = z.output<typeof fileEncoding>;

const rowMessage = z.object({
  row: z.int().describe('As a spreadsheet counts: the header is row 1.'),
  field: z.string().describe('The column; empty for the whole row.'),
  message: z.string(),
});
export type RowMessage = z.output<typeof rowMessage>;

const changedRow = z.object({
  row: z.int(),
  action: z.enum(['create', 'update']),
  name: z.string(),
  changes: z
    .array(z.object({ field: z.string(), before: z.string(), after: z.string() }))
    .describe('For the field `delivery`, the values are the stock before and after it.'),
});
export type ChangedRow = z.output<typeof changedRow>;

const incompleteRow = z.object({
  row: z.int(),
  name: z.string(),
  missing: z.array(z.string()).describe('The empty columns that a new product needs.'),
});
export type IncompleteRow = z.output<typeof incompleteRow>;

export const importReport = z.object({
  create: z.int().describe('How many rows add a product.'),
  update: z.int().describe('How many rows change a product.'),
  changed: z
    .record(z.string(), z.int())
    .describe(
      'How many products change in each field, without the added products and deliveries; empty in the response to a repeated request.',
    ),
  largePriceChanges: z
    .int()
    .describe(
      'How many prices are less than half or more than double the old one. Check them before you import.',
    ),
  unchanged: z.int(),
  unmatched: z
    .int()
    .describe(
      'How many rows match no product and cannot add one. They are errors, unless `skip` skips them.',
    ),
  incomplete: z
    .array(incompleteRow)
    .describe(
      'The first 500 rows that name an unknown product but lack a value that a new one needs, including rows that `completed` fills in.',
    ),
  delivered: z
    .int()
    .describe('How many pieces the file adds to the stock. Importing it again adds them again.'),
  errors: z.array(rowMessage).describe('The first 100 errors. If there are any, nothing is imported.'),
  errorCount: z.int(),
  notes: z.array(rowMessage).describe('What the import ignores or adds by itself; the first 100.'),
  noteCount: z.int(),
  rows: z
    .array(changedRow)
    .describe(
      'Up to 100 rows that add or change a product. Rows that only add stock come last. Long values are shortened.',
    ),
  encoding: fileEncoding
    .optional()
    .describe('`windows-1252` if the file is not UTF-8: check accented letters before you import it.'),
  earlier: z
    .object({ at: z.iso.datetime(), by: z.string() })
    .optional()
    .describe(
      'In a dry run, when and by which admin this file was last imported, if it is one of the last 500 files.',
    ),
  insertedId: z.string().optional().describe("The import's id in the audit log; absent in a dry run."),
});
export type ImportReport = z.output<typeof importReport>;

export const productImportCalls = {
  importProducts: {
    ...paths.importProducts,
    summary: 'Add and change products from a CSV file: all rows or none',
    access: 'admin',
    file: 'text/csv',
    query: z.object({
      dry: z.enum(['1'], 'Dry must be 1').optional().describe('`1` only reports what would change.'),
      skip: z
        .enum(['unmatched'], 'Skip must be unmatched')
        .optional()
        .describe(
          '`unmatched` skips rows that match no product and cannot add one, such as a total; `notes` lists them.',
        ),
      encoding: fileEncoding
        .optional()
        .describe(
          'A dry run reads a file that is not UTF-8 as Windows-1252. To import it, check accented letters in the preview and set `windows-1252`.',
        ),
      columns: z
        .string()
        .max(2000, 'Columns must be 2000 characters or shorter')
        .optional()
        .describe(
          'The columns of a file whose first row has other headings: comma-separated, one name for each heading, empty to ignore that column. Without this parameter, an unknown heading is rejected (422), and `data.headings` lists every `heading` with an `example` and the `column` that it names.',
        ),
      completed: z
        .string()
        .regex(/^[1-9]\d{0,6}$/, 'Completed must be a number of bytes')
        .optional()
        .describe(
          'The number of bytes at the end of the body that are not part of the file, but JSON with values for rows of `incomplete`, such as `[{"row":7,"cells":{"price":"12.50"}}]`.',
        ),
    }),
    idempotent: true,
    response: importReport,
    conflicts: ['edit_conflict'],
  },
} as const satisfies Record<string, Call>;
