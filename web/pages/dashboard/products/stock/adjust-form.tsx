import { useEffect, useState } from 'react';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import type { AdjustmentReason } from '../../../../../contract/catalogue/stock.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { Field } from '../../../../forms/fields/field.tsx';
import { KeyField } from '../../../../forms/fields/key-field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import type { RejectedForm } from '../../../../forms/shop-form.ts';
import { useShopForm } from '../../../../forms/use-shop-form.ts';
import { type Adjusted, adjustmentForms, countShelf, createStockForm, readExpected } from './adjust.ts';

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
  onShelfChanged: () => Promise<void>;
};

/** Records one change of a product's stock: type a number and press Enter. */
export function AdjustForm(props: Props) {
  const { productId, stock, viewer, reason, formKey, rejected, onAdjusted, onShelfChanged } = props;
  const [key, setKey] = useState(formKey);
  const definition = createStockForm(productId, reason, key);
  const form = useShopForm(definition, rejected);
  const { isSubmitting } = form.formState;
  const draft = useDraft(viewer.email);
  const shelf = countShelf(stock);
  // A count is compared with the number shown when it began, unless it was rejected because that number is outdated.
  const [initial] = useState((!rejected?.root && rejected?.values.shown) || shelf);
  const shown = Number(form.watch('shown') ?? initial);
  const { label, hint, submitLabel } = adjustmentForms[reason];
  useEffect(() => {
    if (!rejected) document.getElementById('pieces')?.focus();
  }, [rejected]);

  const send = form.handleSubmit(async (values) => {
    try {
      await onAdjusted(await definition.send(getSession(), values));
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      form.showError(error);
      const expected = readExpected(error);
      if (expected === undefined) return;
      form.setValue('shown', expected);
      await onShelfChanged();
    }
  });

  return (
    <form ref={draft.ref} method="post" noValidate onSubmit={send} className="max-w-form">
      <FormHead form={form} draft={draft} viewer={viewer} />
      <KeyField value={key} onChange={setKey} />
      <input type="hidden" {...form.register('reason')} defaultValue={reason} />
      <input type="text" hidden data-draft="always" {...form.register('shown')} defaultValue={initial} />
      <Field
        label={label}
        hint={
          reason === 'count'
            ? `Expected on the shelf: ${shown}${shown === shelf ? describeShelf(stock) : ''}. Count every piece, including those in orders that have not shipped yet. You can keep selling while you count: only the difference is recorded.`
            : hint
        }
        inputMode={reason === 'other' ? 'text' : 'numeric'}
        enterKeyHint="done"
        autoComplete="off"
        maxLength={9}
        {...form.field('pieces')}
      />
      <Field label="Note (optional)" maxLength={1000} autoComplete="off" {...form.field('note')} />
      <Button type="submit" busy={isSubmitting}>
        {submitLabel}
      </Button>
    </form>
  );
}

const describeShelf = ({ a_quantity, ordered = 0 }: Props['stock']): string =>
  ordered === 0 ? '' : ` (${a_quantity} available + ${ordered} in open orders)`;
