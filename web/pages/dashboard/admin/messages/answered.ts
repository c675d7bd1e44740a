import type { z } from 'zod';
import { markedMessages } from '../../../../../contract/admin/contact-messages.ts';
import { messagesPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

type Done = z.output<typeof markedMessages> & { modifiedCount: number };

/** The `?done=` code for what the form has done. */
export function toDone({ answered, modifiedCount }: Done): string {
  const state = answered ? 'answered' : 'reopened';
  // Another admin was faster.
  return modifiedCount > 0 ? state : `already-${state}`;
}

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
  donePage: (result) => `${messagesPage}?done=${toDone(result)}`,
});
