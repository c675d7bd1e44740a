import { useEffect, useState } from 'react';
import type { Viewer } from '../../../../../contract/pages.ts';
import type { AdjustmentReason } from '../../../../../contract/stock.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { Field } from '../../../../forms/field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import type { RejectedForm } from '../../../../forms/shop-form.ts';
import { useShopForm } from '../../../../forms/use-shop-form.ts';
import { type Adjusted, adjustmentForms, createStockForm } from './adjust.ts';

type Props = {
  productId: string;
  /** The stock to show. */
  level: number;
  viewer: Viewer;
  reason: AdjustmentReason;
  formKey: string;
  rejected: RejectedForm | undefined;
  onAdjusted: (adjusted: Adjusted) => Promise<void>;
};

/** Records one change of a product's stock: type a number and press Enter. */
export function AdjustForm({ productId, level, viewer, reason, formKey, rejected, onAdjusted }: Props) {
  const definition = createStockForm(productId, reason, formKey);
  const form = useShopForm(definition, rejected);
  const { isSubmitting } = form.formState;
  const draft = useDraft(viewer.email);
  // A count is compared with the number shown when it began, whatever is sold in the meantime.
  const [initial] = useState(rejected?.values.shown ?? String(level));
  const shown = form.watch('shown') ?? initial;
  const { label, hint, submitLabel } = adjustmentForms[reason];
  useEffect(() => {
    if (!rejected) document.getElementById('pieces')?.focus();
  }, [rejected]);

  const send = form.handleSubmit(async (values) => {
    try {
      await onAdjusted(await definition.send(getSession(), values));
    } catch (error) {
      if (!(await draft.saveAndSignIn(error))) form.showError(error);
    }
  });

  return (
    <form ref={draft.ref} method="post" noValidate onSubmit={send} className="max-w-form">
      <FormHead form={form} draft={draft} viewer={viewer} />
      <input type="hidden" name="key" value={formKey} />
      <input type="hidden" {...form.register('reason')} defaultValue={reason} />
      <input type="text" hidden data-draft="always" {...form.register('shown')} defaultValue={initial} />
      <Field
        label={label}
        hint={
          reason === 'count'
            ? `${shown} expected. Leave out pieces for orders that are not shipped yet, paid or unpaid: they are sold. You can keep selling while you count: only the difference from ${shown} is recorded.`
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
