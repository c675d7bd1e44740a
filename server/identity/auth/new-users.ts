import { APIError, type GenericEndpointContext, getCurrentAdapter } from 'better-auth';
import { newEmail } from '../../../contract/fields.ts';
import { cleanText } from '../../../contract/text.ts';
import type { Config } from '../../config/config.ts';
import { noMailHeader } from '../credentials.ts';
import { undoRowId } from '../recovery/former-addresses.ts';
import { addMailWith } from './outbox-plugin.ts';

type NewUser = { email: string; emailVerified: boolean; name: string };

/**
 * Checks a user before Better Auth inserts them, and returns their row. Returns false or throws if the address is reserved or, for
 * a Google account, not valid here.
 */
export async function prepareNewUser<User extends NewUser>(
  config: Config,
  user: User,
  context: GenericEndpointContext | null,
): Promise<false | { data: User }> {
  const email = newEmail.safeParse(user.email).data;
  if (email === undefined) return false;
  if (context && (await isReservedWith(context, email))) {
    // The same response as for a taken address. Google's callback reports the failure itself.
    if (context.path !== '/sign-up/email') return false;
    const code = 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL';
    const message = 'User already exists. Use another email.';
    throw new APIError('UNPROCESSABLE_ENTITY', { code, message });
  }
  // The message is added in the transaction of the sign-up. Google has already confirmed the addresses of its users.
  if (config.sendsMail && !user.emailVerified && context && !context.headers?.has(noMailHeader))
    await addMailWith(context, { kind: 'confirm address', recipient: email, about: '' });
  return { data: { ...user, email, name: toValidName(user.name) } };
}

/** Whether another user had this address and can still undo the change to their new one. */
async function isReservedWith({ context }: GenericEndpointContext, email: string): Promise<boolean> {
  const adapter = await getCurrentAdapter(context.adapter);
  const where = [{ field: 'id', value: undoRowId(email) }];
  const row = await adapter.findOne<{ expiresAt: Date }>({ model: 'verification', where });
  return row !== null && row.expiresAt.getTime() > Date.now();
}

/** Makes a name from Google valid: at most 100 characters, without control and invisible characters. */
function toValidName(name: string): string {
  const printable = cleanText(name.replace(/\p{Cc}/gu, ' '));
  // The cut may split a surrogate pair.
  return cleanText(printable.slice(0, 100)) || 'Customer';
}
