import { isMoneyField } from '../../../../../contract/catalogue/product-fields.ts';
import { Button } from '../../../../components/button.tsx';
import { getThumbnailUrl } from '../../../../components/catalogue/product-image.tsx';
import { Cell, Table } from '../../../../components/table.tsx';
import { useMoney } from '../../../../shop.tsx';
import { type Difference, type EditedField, versionedLabels } from './versions.ts';

type Props = {
  differences: Difference[];
  /** Whether the form now has this value. */
  isChosen: (field: EditedField, value: string) => boolean;
  onChoose: (field: EditedField, value: string) => void;
};

/** Both versions of each field that differs between the form and the product as another admin has since saved it. */
export function Conflict({ differences, isChosen, onChoose }: Props) {
  if (differences.length === 0) return null;
  return (
    <section aria-labelledby="versions" className="mb-8">
      <h2 id="versions" className="mb-2 text-xl">
        Your version and the current one
      </h2>
      <p className="mb-4 max-w-text text-soft">
        The form below has everything that you typed, and the current values of the fields that you did not
        change. Change it as you like, then save.
      </p>
      <Table caption="The fields that differ" columns={['Field', 'Yours', 'Now']}>
        {differences.map(({ field, yours, now }) => (
          <tr key={field}>
            <Cell>
              <span className="font-medium">{versionedLabels[field]}</span>
            </Cell>
            {[
              { label: 'Yours', value: yours },
              { label: 'Now', value: now },
            ].map(({ label, value }) => (
              <Cell key={label} label={label}>
                <span className="block min-w-0 sm:min-w-36">
                  <Value field={field} value={value} />
                  <Button
                    kind="plain"
                    className="mt-2 whitespace-nowrap aria-pressed:border-verdigris aria-pressed:text-verdigris noscript:hidden"
                    aria-pressed={isChosen(field, value)}
                    onClick={() => onChoose(field, value)}
                  >
                    {isChosen(field, value) ? 'In the form' : 'Use this'}
                    <span className="sr-only">{` (${versionedLabels[field]}, ${label.toLowerCase()})`}</span>
                  </Button>
                </span>
              </Cell>
            ))}
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Value({ field, value }: { field: EditedField; value: string }) {
  const money = useMoney();
  if (field === 'images')
    return (
      <span className="flex flex-wrap gap-1">
        {value.split(' ').map((url, index) => (
          <img
            key={url}
            src={getThumbnailUrl(url)}
            alt={`Position ${index + 1}`}
            className="lamplit h-15 w-20 border border-rule object-contain"
          />
        ))}
      </span>
    );
  const text = isMoneyField(field) ? money.charged(Number(value)) : value;
  return <span className="block whitespace-pre-line wrap-anywhere">{text || <i>None</i>}</span>;
}
