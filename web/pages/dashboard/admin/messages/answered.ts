import type { z } from 'zod';
import { markedMessages } from '../../../../../contract/admin/contact-messages.ts';
import { messagesPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

/** Marks messages from the contact form as answered, or as not answered. */
export const answeredForm = defineForm({
  name: 'answered',
  fields: ['ids', 'answered'],
  access: 'admin',
  parse: {
    ids: (input) => input.split(' '),
    answered: (input) => input === 'yes',
  },
  validate: validateWith(markedMessages),
  async send({ client }, body: z.output<typeof markedMessages>) {
    const { modifiedCount } = await client.call('markContactMessages', { body });
    return { ...body, modifiedCount };
  },
  donePage: ({ answered }) => `${messagesPage}?done=${answered ? 'answered' : 'reopened'}`,
});
