import type { ShopForm } from '../../forms/shop-form.ts';

const getField = (input: unknown, name: string): string =>
  String(new Map(Object.entries(input ?? {})).get(name) ?? '').trim();

/** Reports a review on the page of its product. The call validates the rest: this page loads no schemas. */
export const createReportForm = (productId: string): ShopForm<{ review: string; reason: string }> => ({
  name: 'report',
  fields: ['review', 'reason'],
  validate(input) {
    const reason = getField(input, 'reason');
    return reason
      ? { values: { review: getField(input, 'review'), reason } }
      : { errors: { reason: 'Reason is Required' } };
  },
  send: ({ client }, { review, reason }) =>
    client.call('reportReview', { params: { id: review }, body: { reason } }),
  redirectTo: `/purchase/${productId}`,
  doneCode: 'reported',
});
