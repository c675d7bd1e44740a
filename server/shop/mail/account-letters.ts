import { formatUtcTime } from '../../config/utc-time.ts';
import { countAttempt, hourMs } from '../../http/rate-limit.ts';
import { nameRecipientLimit } from '../../identity/recovery/mail-limits.ts';
import { issueToken } from '../../identity/recovery/tokens.ts';
import { toMailbox } from '../../mail/mailbox.ts';
import type { MailRow } from '../../mail/outbox.ts';
import type { Shop } from '../shop.ts';
import type { LetterText } from './letters.ts';

const accountReason = 'You’re receiving this email because you have an account with us.';

/** Returns undefined, and nothing is sent, if there is no account with the address or it has had too many of these messages. */
export async function writeResetPassword(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  const { database } = shop;
  const user = await database.db
    .selectFrom('user')
    .select('id')
    .where('email', '=', mail.recipient)
    .executeTakeFirst();
  // The limit comes first: a new token makes the link in the previous message invalid.
  if (!user || !(await isWithinLimit(shop, mail))) return undefined;
  const token = await issueToken(database, 'reset password', mail.recipient);
  return {
    subject: 'Reset your password',
    preview: 'The link works for one hour.',
    heading: 'Reset your password',
    blocks: [
      {
        block: 'paragraph',
        text: 'Somebody, probably you, asked to reset the password of your account. This link works for one hour, and only once.',
      },
      {
        block: 'button',
        label: 'Choose a new password',
        url: `${shop.config.origins[0]}/reset-password?token=${token}`,
      },
      {
        block: 'paragraph',
        text: 'If it wasn’t you, you don’t need to do anything: your password stays the same.',
      },
    ],
    reason: accountReason,
  };
}

/** Returns undefined, and nothing is sent, if there is nothing left to confirm or the address has had too many messages. */
export async function writeConfirmAddress(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  const { database } = shop;
  const user = await database.db
    .selectFrom('user')
    .select('emailVerified')
    .where('email', '=', mail.recipient)
    .executeTakeFirst();
  if (!user || user.emailVerified || !(await isWithinLimit(shop, mail))) return undefined;
  // Anybody can sign up with many variants of somebody else's address.
  if (!(await isWithinLimit(shop, mail, `confirm mail to ${toMailbox(mail.recipient)}`))) return undefined;
  const token = await issueToken(database, 'confirm address', mail.recipient);
  return {
    subject: 'Confirm your email address',
    preview: 'The link works for one hour.',
    heading: 'Confirm your email address',
    blocks: [
      {
        block: 'paragraph',
        text: 'Please confirm that this is the email address of your account. This link works for one hour, and only once. You can place orders before you confirm.',
      },
      {
        block: 'button',
        label: 'Confirm your email address',
        url: `${shop.config.origins[0]}/confirm-address?token=${token}`,
      },
      {
        block: 'paragraph',
        text: 'If you didn’t create an account with us, you don’t need to do anything.',
      },
    ],
    reason:
      'You’re receiving this email because somebody, probably you, created an account with this address.',
  };
}

/**
 * Limited, because an account's address need not be its user's own: a stranger could otherwise change the password of such an
 * account all day. The limit is its own, so that requests for links cannot suppress the notice.
 */
export async function writePasswordChanged(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  const { recipient, created_at } = mail;
  const user = shop.database.db.selectFrom('user').select('id').where('email', '=', recipient);
  // The account may have been deleted since.
  if (!(await user.executeTakeFirst())) return undefined;
  if (!(await isWithinLimit(shop, mail, `password mail to ${recipient}`))) return undefined;
  return {
    subject: 'Your password was changed',
    preview: 'If it wasn’t you, reset it now.',
    heading: 'Your password was changed',
    blocks: [
      {
        block: 'paragraph',
        text: `The password of your account was changed on ${formatUtcTime(created_at)}. If it was you, you don’t need to do anything.`,
      },
      {
        block: 'paragraph',
        text: 'If it wasn’t you, reset your password now. We’ll email you a link. Choosing a new password signs out every device that uses your account.',
      },
      { block: 'button', label: 'Reset your password', url: `${shop.config.origins[0]}/forgot-password` },
    ],
    reason: accountReason,
  };
}

/**
 * Limited, because the address may belong to someone other than the user. The limit is separate, so that requests for links
 * cannot suppress this message.
 */
export async function writeTwoFactorOff(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  if (!(await isWithinLimit(shop, mail, `two-factor mail to ${mail.recipient}`))) return undefined;
  return {
    subject: 'Two-factor sign-in was turned off',
    preview: 'If it wasn’t you, reset your password now.',
    heading: 'Two-factor sign-in was turned off',
    blocks: [
      {
        block: 'paragraph',
        text: `Two-factor sign-in for your account was turned off on ${formatUtcTime(mail.created_at)}. Your password alone is now enough to sign in. If it was you, or you asked us to, you don’t need to do anything.`,
      },
      {
        block: 'paragraph',
        text: 'If it wasn’t you, reset your password now, which signs out every device that uses your account. Then turn on two-factor sign-in again in your profile.',
      },
      { block: 'button', label: 'Reset your password', url: `${shop.config.origins[0]}/forgot-password` },
    ],
    reason: accountReason,
  };
}

/** Counted here and not in the request, so that the response doesn't reveal whether messages were sent to an address. */
async function isWithinLimit(
  { database, rateLimits }: Shop,
  { recipient, attempts }: MailRow,
  limit = nameRecipientLimit(recipient),
): Promise<boolean> {
  if (attempts > 1) return true;
  const { count } = await countAttempt(database, limit, hourMs);
  return count <= rateLimits.accountMessagesPerRecipient;
}
