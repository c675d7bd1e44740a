import type { z } from 'zod';
import { profile } from '../../../../../contract/accounts/users.ts';
import { linkedInRule } from '../../../../../contract/fields.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

const fields = profile.pick({ address: true, phone: true, education: true, linkedIn: true });

/** The index page of the dashboard: without `?index`, a post would go to the layout route around it. */
export const profilePath = '/dashboard?index';

/** The user's contact details, which prefill order forms. */
export const createProfileForm = ({ email, name, linkedIn }: Viewer): ShopForm<z.infer<typeof fields>> => ({
  name: 'profile',
  fields: ['address', 'phone', 'education', 'linkedIn'],
  personalFields: ['address', 'phone', 'education', 'linkedIn'],
  validate: validateWith(
    fields.extend({ linkedIn: fields.shape.linkedIn.refine(...linkedInRule(linkedIn)) }),
  ),
  send: ({ client }, values) =>
    client.call('saveUser', { params: { email }, body: { ...values, user: email, name } }),
  redirectTo: '/dashboard',
  doneCode: 'profile',
});
