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
  answerContactMessage: {
    ...paths.answerContactMessage,
    summary: 'Mark a message from the contact form as answered',
    access: 'admin',
    params: z.object({ id }),
    response: modifiedCount,
  },
  reopenContactMessage: {
    ...paths.reopenContactMessage,
    summary: 'Mark a message from the contact form as not answered',
    access: 'admin',
    params: z.object({ id }),
    response: modifiedCount,
  },
} as const satisfies Record<string, Call>;
