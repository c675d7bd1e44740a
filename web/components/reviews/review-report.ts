import { purchasePages } from '../../../contract/page-addresses.ts';
import { defineForm, textOf } from '../../forms/page-form.ts';

type Report = { review: string; reason: string };

/**
 * Reports a review on the page of its product. Only the reason is checked here, because the page loads no schemas; the call
 * validates the rest.
 */
export const reportForm = defineForm({
  name: 'report',
  fields: ['review', 'reason'],
  access: 'user',
  validate(input) {
    const reason = textOf(input, 'reason').trim();
    return reason
      ? { values: { review: textOf(input, 'review'), reason } }
      : { errors: { reason: 'Reason is Required' } };
  },
  send: ({ client }, { review, reason }: Report) =>
    client.call('reportReview', { params: { id: review }, body: { reason } }),
  donePage: (_, params) => `${purchasePages}/${params.productId}?done=reported`,
});
