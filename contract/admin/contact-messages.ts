import { z } from 'zod';
import type { Call } from '../call.ts';
import { id, modifiedCount, page, time } from '../fields.ts';
import { paths } from '../paths.ts';

const contactMessage = z.object({
  _id: z.string(),
  email: z.string().describe('As the visitor entered it: not verified.'),
  message: z.string(),
  createdAt: time,
  answeredAt: time.optional().describe('When an admin marked it as answered.'),
});
export type ContactMessage = z.output<typeof contactMessage>;

/** As many as a page of the list may have. */
const maxMarked = 1000;

export const markedMessages = z.object({
  ids: z
    .array(id, 'Ids must be a list')
    .min(1, 'Ids is Required')
    .max(maxMarked, `Ids must name at most ${maxMarked} messages`)
    .describe('The messages that you have seen. Unknown ones are ignored.'),
  answered: z.boolean('Answered must be true or false'),
});

export const contactMessageCalls = {
  listContactMessages: {
    ...paths.listContactMessages,
    summary: 'List the messages from the contact form that are not answered yet, newest first',
    access: 'admin',
    query: page.extend({
      answered: z
        .literal('true', 'Answered must be true')
        .optional()
        .describe('List the answered ones instead.'),
    }),
    response: z.array(contactMessage),
  },
  markContactMessages: {
    ...paths.markContactMessages,
    summary: 'Mark messages from the contact form as answered, or as not answered',
    access: 'admin',
    body: markedMessages,
    response: modifiedCount.describe('`modifiedCount` is the number of messages that this has changed.'),
  },
} as const satisfies Record<string, Call>;
