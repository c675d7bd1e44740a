import { z } from 'zod';
import { profile } from '../../../../../contract/accounts/users.ts';
import { linkedInRule } from '../../../../../contract/fields.ts';
import { dashboardPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

const values = profile
  .pick({ address: true, phone: true, education: true, linkedIn: true })
  .extend({ name: z.string(), email: z.string(), savedLinkedIn: z.string() })
  .superRefine(({ linkedIn, savedLinkedIn }, { addIssue }) => {
    const [isValid, message] = linkedInRule(savedLinkedIn);
    if (!isValid(linkedIn)) addIssue({ code: 'custom', path: ['linkedIn'], message });
  });

/** The user's contact details, which prefill order forms. */
export const profileForm = defineForm({
  name: 'profile',
  fields: ['address', 'phone', 'education', 'linkedIn', 'savedLinkedIn', 'name', 'email'],
  personalFields: ['address', 'phone', 'education', 'linkedIn'],
  access: 'user',
  validate: validateWith(values),
  send: ({ client }, { email, savedLinkedIn: _, ...details }: z.output<typeof values>) =>
    client.call('saveUser', { params: { email }, body: { ...details, user: email } }),
  donePage: () => `${dashboardPage}?done=profile`,
});
