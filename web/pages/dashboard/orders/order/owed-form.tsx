import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { useHydrated } from '../../../../client/hydration.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { TextArea } from '../../../../forms/fields/field.tsx';
import { RadioField } from '../../../../forms/fields/radio-field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { useMoney } from '../../../../shop.tsx';
import { findOwed, owedForm, owedOutcomes } from './owed.ts';
import { useFocusFirst } from './use-focus-first.ts';

export const owedMessage = 'Saved.';

const createLabels = (owed: string): Record<(typeof owedOutcomes)[number], string> => ({
  // This label names the amount, because without scripts the button says only "Save".
  again: `Refund ${owed} to the card again`,
  repaid: 'It was paid back another way',
  nothing_owed: 'Nothing is owed',
});

type Props = { purchase: Purchase; refund: string; viewer: Viewer; formKey: string };

/** A form in which an admin settles the amount that the shop owes because a refund has failed. */
export function OwedForm({ purchase, refund, viewer, formKey }: Props) {
  const page = `${orderPages}/${purchase.number}`;
  const { first, amount } = findOwed(purchase, refund);
  const money = useMoney();
  const owed = money.charged(amount, purchase.currency);
  const labels = createLabels(owed);
  const toast = useToast();
  const navigate = useNavigate();
  const form = usePageForm(owedForm, {
    viewer,
    formKey,
    draft: refund,
    async onDone(outcome) {
      toast(outcome === 'again' ? 'Refund requested.' : owedMessage);
      await navigate(page, { preventScrollReset: true });
      document.querySelector('h1')?.focus();
    },
  });
  const chosen = form.rejectedValues?.outcome;
  const [outcome, setOutcome] = useState(chosen);
  const isAgain = useHydrated() && outcome === 'again';
  useFocusFirst(form.draft.ref, form.rejectedValues !== undefined);

  return (
    <form
      {...form.props}
      aria-label="Settle the failed refund"
      className="max-w-text border-t-2 border-edge pt-4"
    >
      <FormStart form={form} version={purchase.version} />
      <input type="hidden" name="refund" value={refund} />
      <input type="hidden" name="order" value={first?.order} />
      <input type="hidden" name="amount" value={amount} />
      <input type="hidden" name="reason" value={first?.refund.reason} />
      <RadioField
        legend={`What should happen to the ${owed} still owed?`}
        field={{ name: 'outcome', onChange: (event) => setOutcome(event.target.value) }}
        options={owedOutcomes.map((value) => ({ value, label: labels[value] }))}
        chosen={chosen}
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
        <Button type="submit" busy={form.isBusy}>
          {isAgain ? `Refund ${owed} again` : 'Save'}
        </Button>
        <ButtonLink kind="plain" to={page} preventScrollReset>
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}
