import { useEffect, useState } from 'react';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import type { AdjustmentReason } from '../../../../../contract/catalogue/stock.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import type { RejectedForm } from '../../../../forms/form-results.ts';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { type Adjusted, adjustmentForms, countShelf, readExpected, stockForm } from './adjust.ts';

type Props = {
  productId: string;
  /** The stock to show. */
  stock: Pick<Product, 'a_quantity' | 'ordered'>;
  viewer: Viewer;
  reason: AdjustmentReason;
  formKey: string;
  rejected: RejectedForm | undefined;
  onAdjusted: (adjusted: Adjusted) => Promise<void>;
  /** Called if the shelf has changed since the form showed it. */
  onShelfChanged: () => void;
};

/** Records one change of a product's stock: type a number and press Enter. */
export function AdjustForm(props: Props) {
  const { productId, stock, viewer, reason, formKey, rejected, onAdjusted, onShelfChanged } = props;
  const shelf = countShelf(stock);
  // A count is compared with the number that was shown when it began. If it was rejected because that number was outdated, it is
  // compared with the current number.
  const [shown, setShown] = useState(`${(!rejected?.root && rejected?.values.shown) || shelf}`);
  const form = usePageForm(stockForm, {
    viewer,
    formKey,
    posted: rejected,
    onRejected({ error }) {
      const expected = readExpected(error);
      if (expected === undefined) return;
      setShown(`${expected}`);
      onShelfChanged();
    },
    onDone: ({ adjusted }) => onAdjusted(adjusted),
  });
  const { label, hint, submitLabel } = adjustmentForms[reason];
  useEffect(() => {
    if (!rejected) document.getElementById('pieces')?.focus();
  }, [rejected]);

  return (
    <form {...form.props} className="max-w-form">
      <FormStart form={form} />
      <input type="hidden" name="product" value={productId} />
      <input type="hidden" name="reason" value={reason} />
      <input
        type="text"
        hidden
        data-draft="always"
        name="shown"
        value={shown}
        onChange={(event) => setShown(event.target.value)}
      />
      <Field
        label={label}
        hint={
          reason === 'count'
            ? `Expected on the shelf: ${shown}${Number(shown) === shelf ? describeShelf(stock) : ''}. Count every piece, including those in orders that have not shipped yet. You can keep selling while you count: only the difference is recorded.`
            : hint
        }
        inputMode={reason === 'other' ? 'text' : 'numeric'}
        enterKeyHint="done"
        autoComplete="off"
        maxLength={9}
        {...form.field('pieces')}
      />
      <Field label="Note (optional)" maxLength={1000} autoComplete="off" {...form.field('note')} />
      <Button type="submit" busy={form.isBusy}>
        {submitLabel}
      </Button>
    </form>
  );
}

const describeShelf = ({ a_quantity, ordered = 0 }: Props['stock']): string =>
  ordered === 0 ? '' : ` (${a_quantity} available + ${ordered} in open orders)`;
