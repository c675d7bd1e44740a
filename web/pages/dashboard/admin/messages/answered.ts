import { z } from 'zod';
import { id } from '../../../../../contract/fields.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

const values = z.object({ id, answered: z.enum(['yes', 'no']) });

/** Marks a message from the contact form as answered, or as not answered. */
export const answeredForm = defineForm({
  name: 'answered',
  fields: ['id', 'answered'],
  access: 'admin',
  validate: validateWith(values),
  send: ({ client }, { id, answered }: z.output<typeof values>) =>
    client.call(answered === 'yes' ? 'answerContactMessage' : 'reopenContactMessage', { params: { id } }),
  donePage: () => '/dashboard/messages?done=marked',
});
