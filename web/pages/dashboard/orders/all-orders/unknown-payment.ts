import { allOrdersPage } from '../../../../../contract/page-addresses.ts';
import { defineForm, textOf } from '../../../../forms/page-form.ts';

export const outcomes = [
  { outcome: 'paid', label: 'Pay the order with it' },
  { outcome: 'refunded', label: 'Refund it' },
  { outcome: 'dismissed', label: 'Dismiss' },
] as const;

type Settlement = { id: string; outcome: (typeof outcomes)[number]['outcome'] };

/** Settles a payment that is missing from the database. */
export const unknownPaymentForm = defineForm({
  name: 'unknown-payment',
  fields: ['payment', 'outcome'],
  access: 'admin',
  validate(input) {
    const chosen = outcomes.find(({ outcome }) => outcome === textOf(input, 'outcome'));
    return chosen
      ? { values: { id: textOf(input, 'payment'), outcome: chosen.outcome } }
      : { errors: { outcome: 'Choose what to do' } };
  },
  send: ({ client }, { id, outcome }: Settlement) =>
    client.call('settleUnknownPayment', { params: { id }, body: { outcome } }),
  donePage: () => `${allOrdersPage}?done=settled`,
});
