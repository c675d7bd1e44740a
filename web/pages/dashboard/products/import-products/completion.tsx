import type { SubmitEvent } from 'react';
import { productFieldNames, productFields } from '../../../../../contract/catalogue/product-fields.ts';
import type { ImportReport, IncompleteRow } from '../../../../../contract/catalogue/product-import.ts';
import { Button } from '../../../../components/button.tsx';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { labelOf } from './columns.ts';

/** The typed values by product name and column, so that a corrected file with the same products keeps them. */
export type TypedCells = Map<string, string>;

const keyOf = (name: string, column: string) => `${column} ${name}`;

/** Most products are sold by the piece. */
const initialValues: Readonly<Record<string, string>> = { o_quantity: '1' };

const readCell = (typed: TypedCells, name: string, column: string): string =>
  typed.get(keyOf(name, column)) ?? initialValues[column] ?? '';

/** The values of the rows into which something was typed, as JSON for the import; an empty string if there are none. */
export function toCompleted(rows: IncompleteRow[], typed: TypedCells): string {
  const completed = rows
    .filter(({ name, missing }) => missing.some((column) => typed.get(keyOf(name, column))?.trim()))
    .map(({ row, name, missing }) => ({
      row,
      cells: Object.fromEntries(missing.map((column) => [column, readCell(typed, name, column)])),
    }));
  return completed.length > 0 ? JSON.stringify(completed) : '';
}

type Props = {
  report: ImportReport;
  typed: TypedCells;
  busy: boolean;
  onType: () => void;
  onPreview: () => void;
};

/** Asks for what new products in the file lack. */
export function CompletionForm({ report: { incomplete, errors }, typed, busy, onType, onPreview }: Props) {
  return (
    <form
      noValidate
      className="mb-8"
      onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        onPreview();
      }}
    >
      <h3 className="mb-2 text-lg">New products</h3>
      <p className="mb-4 max-w-text text-soft">
        The shop does not have these products. To add one with this import, enter what the file lacks. The
        pieces delivered become its stock.
      </p>
      {incomplete.map(({ row, name, missing }) => (
        <fieldset key={`${row} ${name}`} className="mb-4 min-w-0 border border-edge bg-leaf px-4 pt-3">
          <legend className="px-1 font-serif text-lg wrap-anywhere">{name}</legend>
          <div className="grid items-start gap-x-4 sm:grid-cols-3">
            {missing.map((column) => {
              const error = errors.find((one) => one.row === row && one.field === column)?.message;
              const kind = productFieldNames.find((field) => field === column);
              const input = {
                id: `complete-${row}-${column}`,
                label: labelOf(column),
                defaultValue: readCell(typed, name, column),
                error,
                onChange: ({ target }: { target: { value: string } }) => {
                  typed.set(keyOf(name, column), target.value);
                  onType();
                },
              };
              if (kind && productFields[kind].kind === 'text')
                return (
                  <div key={column} className="sm:col-span-3">
                    <TextArea {...input} rows={3} />
                  </div>
                );
              const isMoney = kind && productFields[kind].kind === 'money';
              return <Field key={column} {...input} inputMode={isMoney ? 'decimal' : 'numeric'} />;
            })}
          </div>
        </fieldset>
      ))}
      <Button type="submit" kind="plain" busy={busy}>
        Preview with these products
      </Button>
    </form>
  );
}
