import {
  confirmAddressPage,
  forgotPasswordPage,
  resetPasswordPage,
} from '../../../contract/page-addresses.ts';
import { formatTime } from '../../config/time-zone.ts';
import { issueToken } from '../../identity/recovery/tokens.ts';
import type { MailRow } from '../../mail/outbox.ts';
import type { Shop } from '../shop.ts';
import { isLinkWithinLimit, isNoticeWithinLimit } from './account-limits.ts';
import type { LetterText } from './letters.ts';

/* Each returns undefined, and nothing is sent, if nothing is left to report or the address has had too many messages. */

export const accountReason = 'You’re receiving this email because you have an account with us.';

const findUser = ({ database: { db } }: Shop, { recipient }: MailRow) =>
  db.selectFrom('user').select('emailVerified').where('email', '=', recipient).executeTakeFirst();

export async function writeResetPassword(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  // The limit comes first: a new token makes the link in the previous message invalid.
  if (!(await findUser(shop, mail)) || !(await isLinkWithinLimit(shop, mail, 'reset'))) return undefined;
  const token = await issueToken(shop.database, 'reset password', mail.recipient);
  return {
    subject: 'Reset your password',
    preview: 'The link works for one hour.',
    heading: 'Reset your password',
    blocks: [
      {
        block: 'paragraph',
        text: 'Somebody, probably you, asked to reset the password of your account. This link works for one hour, and only once. Choosing a new password signs out every device and removes your passkeys.',
      },
      {
        block: 'button',
        label: 'Choose a new password',
        url: `${shop.config.origins[0]}${resetPasswordPage}?token=${token}`,
      },
      {
        block: 'paragraph',
        text: 'If it wasn’t you, you don’t need to do anything: your password stays the same.',
      },
    ],
    reason: accountReason,
  };
}

export async function writeConfirmAddress(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  const user = await findUser(shop, mail);
  if (!user || user.emailVerified || !(await isLinkWithinLimit(shop, mail, 'confirm'))) return undefined;
  const token = await issueToken(shop.database, 'confirm address', mail.recipient);
  return {
    subject: 'Confirm your email address',
    preview: 'The link works for one hour.',
    heading: 'Confirm your email address',
    blocks: [
      {
        block: 'paragraph',
        text: 'Please confirm that this is the email address of your account. This link works for one hour, and only once. If you are not signed in, it first asks you to sign in. You can place orders before you confirm.',
      },
      {
        block: 'button',
        label: 'Confirm your email address',
        url: `${shop.config.origins[0]}${confirmAddressPage}?token=${token}`,
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

export async function writePasswordChanged(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  // The account may have been deleted since, or an intruder may have changed its address.
  const user = shop.database.db.selectFrom('user').select('id').where('id', '=', mail.about);
  const accountExists = (await findUser(shop, mail)) ?? (await user.executeTakeFirst());
  if (!accountExists || !(await isNoticeWithinLimit(shop, mail, 'password'))) return undefined;
  return writeNotice(shop, 'Your password was changed', [
    `The password of your account was changed on ${formatTime(mail.created_at, shop.config.timeZone)}. If it was you, you don’t need to do anything. If you reset it with a link, your passkeys were removed, too: you can add them again.`,
    'If it wasn’t you, reset your password now. We’ll email you a link. Choosing a new password signs out every device that uses your account, and removes its passkeys.',
  ]);
}

/** Reports a change to how an account signs in, with a button to reset the password if the user did not make the change. */
export function writeNotice({ config }: Shop, subject: string, paragraphs: string[]): LetterText {
  return {
    subject,
    preview: 'If it wasn’t you, reset your password now.',
    heading: subject,
    blocks: [
      ...paragraphs.map((text) => ({ block: 'paragraph' as const, text })),
      { block: 'button', label: 'Reset your password', url: `${config.origins[0]}${forgotPasswordPage}` },
    ],
    reason: accountReason,
  };
}

export async function writeTwoFactorOn(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  if (!(await isNoticeWithinLimit(shop, mail, 'two-factor on'))) return undefined;
  return writeNotice(shop, 'Two-factor sign-in was turned on', [
    `Two-factor sign-in was turned on for your account on ${formatTime(mail.created_at, shop.config.timeZone)}. From now on, signing in with your password also takes a code from your authenticator app. Keep your recovery codes in a safe place: without them and without your phone, you can’t sign in.`,
    'If it wasn’t you, reset your password now, which signs out every device that uses your account. Then reply to this email, so that we can turn two-factor sign-in off.',
  ]);
}

export async function writeTwoFactorOff(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  if (!(await isNoticeWithinLimit(shop, mail, 'two-factor'))) return undefined;
  return writeNotice(shop, 'Two-factor sign-in was turned off', [
    `Two-factor sign-in for your account was turned off on ${formatTime(mail.created_at, shop.config.timeZone)}. Your password alone is now enough to sign in. If it was you, or you asked us to, you don’t need to do anything.`,
    'If it wasn’t you, reset your password now, which signs out every device that uses your account. Then turn on two-factor sign-in again.',
  ]);
}

/** The account is gone, so this message is all that the shop still stores about it. It is deleted once it is sent. */
export async function writeAccountDeleted(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  if (!(await isNoticeWithinLimit(shop, mail, 'deletion'))) return undefined;
  return {
    subject: 'Your account was deleted',
    preview: 'What we keep, and what is gone.',
    heading: 'Your account was deleted',
    blocks: [
      {
        block: 'paragraph',
        text: `Your account was deleted on ${formatTime(mail.created_at, shop.config.timeZone)}, as you asked. We keep what the law requires a shop to keep about paid orders, and the texts of your reviews without your name.`,
      },
      {
        block: 'paragraph',
        text: 'If it wasn’t you, reply to this email. A deleted account cannot be restored, but you can create a new one at any time.',
      },
    ],
    reason: 'You’re receiving this email because you had an account with us.',
  };
}
