import { type SubmitEvent, useId } from 'react';
import { columnLabels, exportColumns } from '../../../../../contract/catalogue/product-file.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { Button } from '../../../../components/button.tsx';
import { Cell, Table } from '../../../../components/table.tsx';
import { editableControl } from '../../../../forms/fields/field.tsx';
import { guessColumns } from './guesses.ts';

/** A heading of a file, its first value, and the column that it probably means, or an empty text. */
export type Heading = { heading: string; example: string; column: string };

/** The file's headings, if an import was rejected because some are unknown. */
export function readHeadings(error: unknown, currency: string): Heading[] | undefined {
  const headings = error instanceof ApiError ? error.problem.data?.headings : undefined;
  if (!Array.isArray(headings)) return undefined;
  const entries = headings.filter((entry) => typeof entry === 'object');
  return guessColumns(
    entries.map(({ heading = '', example = '', column = '' }) => ({
      heading: String(heading),
      example: String(example),
      column: String(column),
    })),
    currency,
  );
}

/** The headings with the meanings that were chosen for the file before, because a corrected file has the same headings. */
export function keepChoices(headings: Heading[], earlier: Heading[] | undefined): Heading[] {
  const isSame =
    headings.map(({ heading }) => heading).join('\n') === earlier?.map(({ heading }) => heading).join('\n');
  return isSame
    ? headings.map((each, index) => ({ ...each, column: earlier?.[index]?.column ?? '' }))
    : headings;
}

const exampleOf = (example: string) => (example ? `such as “${example}”` : 'empty in the first row');

/** Asks what each column of a file means. `onChoose` gets a column, or an empty text, for each heading. */
export function HeadingForm({
  headings,
  busy,
  onChoose,
}: {
  headings: Heading[];
  busy: boolean;
  onChoose: (columns: string[]) => void;
}) {
  const id = useId();
  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    const chosen = new FormData(event.currentTarget);
    onChoose(headings.map((_, index) => String(chosen.get(`${index}`) ?? '')));
  }
  return (
    <form onSubmit={submit} className="mb-8">
      <p role="status" className="mb-4 max-w-text">
        The shop does not recognize this file’s headings. Choose what each one means. Columns that you ignore
        change nothing. If the first row is a product, insert a row of headings above it in the file: the
        first row is not imported.
      </p>
      <Table caption="The headings of the file" columns={['Heading', 'Use as']}>
        {headings.map(({ heading, example, column }, index) =>
          heading ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same heading, and none moves.
            <tr key={index}>
              <Cell label="Heading">
                <label htmlFor={`${id}-${index}`} className="wrap-anywhere">
                  <span className="block font-medium">{heading}</span>
                  <span className="text-sm text-soft">{exampleOf(example)}</span>
                </label>
              </Cell>
              <Cell label="Use as">
                <select
                  id={`${id}-${index}`}
                  name={`${index}`}
                  defaultValue={column}
                  className={`${editableControl} min-h-11`}
                >
                  <option value="">Ignore</option>
                  {exportColumns.map((each) => (
                    <option key={each} value={each}>
                      {columnLabels[each]}
                    </option>
                  ))}
                </select>
              </Cell>
            </tr>
          ) : null,
        )}
      </Table>
      <div className="mt-4">
        <Button type="submit" busy={busy}>
          Preview
        </Button>
      </div>
    </form>
  );
}
