import { z } from 'zod';
import { id } from '../../../../../contract/fields.ts';
import { messagesPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

const values = z.object({ id, answered: z.enum(['yes', 'no']) });

/** Marks a message from the contact form as answered, or as not answered. */
export const answeredForm = defineForm({
  name: 'answered',
  fields: ['id', 'answered'],
  access: 'admin',
  validate: validateWith(values),
  async send({ client }, { id, answered }: z.output<typeof values>) {
    const isAnswered = answered === 'yes';
    await client.call(isAnswered ? 'answerContactMessage' : 'reopenContactMessage', { params: { id } });
    return { isAnswered };
  },
  donePage: ({ isAnswered }) => `${messagesPage}?done=${isAnswered ? 'answered' : 'reopened'}`,
});
