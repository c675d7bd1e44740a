import { type BetterAuthPlugin, type GenericEndpointContext, getCurrentAdapter } from 'better-auth';
import { type NewMail, toMailRow } from '../../mail/outbox.ts';

/** The table of messages to send, so that Better Auth can write to it in its own transactions. */
export const outboxPlugin = {
  id: 'outbox',
  schema: {
    mail: {
      fields: {
        kind: { type: 'string' },
        recipient: { type: 'string' },
        about: { type: 'string' },
        state: { type: 'string' },
        due_at: { type: 'number', bigint: true },
        give_up_at: { type: 'number', bigint: true },
        created_at: { type: 'number', bigint: true },
      },
    },
  },
} satisfies BetterAuthPlugin;

/** Adds a message in the transaction of Better Auth's call. */
export async function addMailWith({ context }: GenericEndpointContext, mail: NewMail): Promise<void> {
  const adapter = await getCurrentAdapter(context.adapter);
  await adapter.create({ model: 'mail', data: toMailRow(mail), forceAllowId: true });
}
