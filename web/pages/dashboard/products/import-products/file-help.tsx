import { columnLabels, exportColumns } from '../../../../../contract/catalogue/product-file.ts';
import { Icon } from '../../../../components/layout/icon.tsx';
import { Cell, Table } from '../../../../components/table.tsx';
import { columnHelp, templateUrl } from './columns.ts';

/** How to make a file, for the shopkeeper. */
export function FileHelp() {
  return (
    <details className="group mt-10 border border-edge bg-leaf">
      <summary className="flex min-h-12 items-center justify-between px-4 font-medium">
        The columns of a file
        <Icon name="unfold" className="text-blued group-open:rotate-180" />
      </summary>
      <div className="px-4 pb-4">
        <p className="mb-4 max-w-text">
          {'Columns that are not in the file leave their fields unchanged. Start with an export, or with an '}
          <a href={templateUrl} download="new-products.csv" className="link">
            empty file for new products
          </a>
          . Save it as “CSV UTF-8”, with commas, semicolons or tabs, and with at most 20,000 rows.
        </p>
        <Table caption="The columns of a file" columns={['Column', 'Meaning']}>
          {exportColumns.map((column) => (
            <tr key={column}>
              <Cell label="Column">
                <code>{column}</code>
              </Cell>
              <Cell label="Meaning">
                <span>
                  <span className="block font-medium">{columnLabels[column]}</span>
                  {columnHelp[column]}
                </span>
              </Cell>
            </tr>
          ))}
        </Table>
      </div>
    </details>
  );
}
