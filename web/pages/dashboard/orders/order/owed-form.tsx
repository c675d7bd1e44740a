import { useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { createFormKey } from '../../../../client/api/idempotency.ts';
import { useHydrated } from '../../../../client/hydration.ts';
import { getSession } from '../../../../client/session.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { TextArea } from '../../../../forms/fields/field.tsx';
import { RadioField } from '../../../../forms/fields/radio-field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { useMoney } from '../../../../shop.tsx';
import { createOwedForm, findOwed, owedOutcomes } from './owed.ts';
import { useFocusFirst } from './use-focus-first.ts';

export const owedMessage = 'Saved.';

const createLabels = (owed: string): Record<(typeof owedOutcomes)[number], string> => ({
  // The button says "Save" without the script.
  again: `Refund ${owed} to the card again`,
  repaid: 'It was paid back another way',
  nothing_owed: 'Nothing is owed',
});

type Props = { purchase: Purchase; refund: string; viewer: Viewer; formKey: string };

/** Says what becomes of the amount that the shop owes because a refund has failed. */
export function OwedForm({ purchase, refund, viewer, formKey }: Props) {
  const rejected = useRejectedForm('owed');
  const [key, setKey] = useState(rejected?.values.key || formKey);
  const definition = createOwedForm(purchase, key, purchase.version);
  const form = useShopForm(definition, rejected);
  const { isSubmitting } = form.formState;
  const money = useMoney();
  const owed = money.charged(findOwed(purchase, refund).amount, purchase.currency);
  const labels = createLabels(owed);
  const hydrated = useHydrated();
  const isAgain = hydrated && form.watch('outcome') === 'again';
  const toast = useToast();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const draft = useDraft(viewer.email, refund);
  useFocusFirst(draft.ref, rejected !== undefined);

  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      form.showError(error);
      const status = error instanceof ApiError ? error.problem.status : 0;
      // A refused refund is recorded under this key, so another attempt needs a new one.
      if (status === 402) setKey(createFormKey());
      if (status === 402 || status === 409) await revalidate();
      return;
    }
    toast(values.outcome === 'again' ? 'Refund requested.' : owedMessage);
    await navigate(definition.redirectTo, { preventScrollReset: true });
    document.querySelector('h1')?.focus();
  });

  return (
    <form
      ref={draft.ref}
      method="post"
      noValidate
      onSubmit={send}
      aria-label="Settle the failed refund"
      className="max-w-text border-t-2 border-edge pt-4"
    >
      <FormHead form={form} draft={draft} viewer={viewer} version={purchase.version} />
      <input type="hidden" name="form" value={definition.name} />
      <input type="hidden" name="key" value={key} />
      <input type="hidden" {...form.register('refund', { value: refund })} defaultValue={refund} />
      <RadioField
        legend={`What should happen to the ${owed} still owed?`}
        field={form.register('outcome')}
        options={owedOutcomes.map((value) => ({ value, label: labels[value] }))}
        chosen={rejected?.values.outcome}
        error={form.messageOf('outcome')}
      />
      <TextArea
        label="Note (optional)"
        hint="Only admins see it."
        rows={2}
        maxLength={1000}
        {...form.field('note')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={isSubmitting}>
          {isAgain ? `Refund ${owed} again` : 'Save'}
        </Button>
        <ButtonLink kind="plain" to={definition.redirectTo} preventScrollReset>
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}
