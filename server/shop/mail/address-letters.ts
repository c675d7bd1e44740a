import { changeAddressPage, loginPage, resetPasswordPage } from '../../../contract/page-addresses.ts';
import { formatTime } from '../../config/time-zone.ts';
import { isFree, issueUndoToken } from '../../identity/recovery/former-addresses.ts';
import { issueToken } from '../../identity/recovery/tokens.ts';
import { isAccountNotice, type MailRow } from '../../mail/outbox.ts';
import type { Shop } from '../shop.ts';
import { accountReason } from './account-letters.ts';
import { isLinkWithinLimit, isNoticeWithinLimit } from './account-limits.ts';
import type { LetterText } from './letters.ts';

const findUser = ({ database: { db } }: Shop, id: string) =>
  db.selectFrom('user').select('email').where('id', '=', id).executeTakeFirst();

/**
 * Goes to the address that the user wants to change to. If another account has it, only this message says so: the user who
 * entered it learns nothing.
 */
export async function writeChangeAddress(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  const { recipient, about: userId } = mail;
  const { database, config } = shop;
  const user = await findUser(shop, userId);
  if (!user || user.email === recipient || !(await isLinkWithinLimit(shop, mail, 'change'))) return undefined;
  const reason =
    'You’re receiving this email because somebody, probably you, wants to use this address for an account with us.';
  if (!(await isFree(database.db, recipient, userId)))
    return {
      subject: 'This address can’t be used for another account',
      preview: 'Nothing was changed.',
      heading: 'This address can’t be used for another account',
      blocks: [
        {
          block: 'paragraph',
          text: 'Somebody, probably you, asked to change the email address of an account to this one. That isn’t possible: an account with us has this address, or had it until a few days ago. Nothing was changed.',
        },
        {
          block: 'paragraph',
          text: 'If it was you, sign in with this address instead. If it wasn’t, you don’t need to do anything.',
        },
        { block: 'button', label: 'Sign in', url: `${config.origins[0]}${loginPage}` },
      ],
      reason,
    };
  const token = await issueToken(database, 'change address', recipient, { key: userId });
  return {
    subject: 'Confirm your new email address',
    preview: 'The link works for one hour.',
    heading: 'Confirm your new email address',
    blocks: [
      {
        block: 'paragraph',
        text: 'You asked to change the email address of your account to this one. Open this link while you are signed in, and press the button on the page. The link works for one hour, and only once. Until then, your account keeps its old address.',
      },
      {
        block: 'button',
        label: 'Confirm your new address',
        url: `${config.origins[0]}${changeAddressPage}?token=${token}`,
      },
      {
        block: 'paragraph',
        text: 'If it wasn’t you, you don’t need to do anything: somebody has probably mistyped their own address.',
      },
    ],
    reason,
  };
}

/** Goes to the former address, with a link that undoes the change if the address was confirmed. Doesn't name the new address. */
export async function writeAddressChanged(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  const { recipient, about: userId, created_at } = mail;
  // The change may have been undone since.
  const user = await findUser(shop, userId);
  if (user?.email === recipient) return undefined;
  const token = await issueUndoToken(shop.database.db, userId, recipient);
  // A stranger can sign up with somebody else's address, and change it, again and again.
  if (!token && !(await isNoticeWithinLimit(shop, mail, 'address'))) return undefined;
  if (!token && user && (await hasLeft(shop, userId, user.email))) return describeUndo(shop, created_at);
  return {
    subject: 'The email address of your account was changed',
    preview: token
      ? 'If it wasn’t you, undo it within seven days.'
      : 'If it wasn’t you, reply to this email.',
    heading: 'The email address of your account was changed',
    blocks: [
      {
        block: 'paragraph',
        text: `The email address of your account was changed from this one to another on ${formatTime(created_at, shop.config.timeZone)}. If it was you, you don’t need to do anything. We’ll write to the new address from now on.`,
      },
      ...(token
        ? [
            {
              block: 'paragraph' as const,
              text: 'If it wasn’t you, undo the change: open this link and choose a new password. Your account then has this address again, and every device that uses it is signed out. The link works for seven days, and only once.',
            },
            {
              block: 'button' as const,
              label: 'Undo the change',
              url: `${shop.config.origins[0]}${resetPasswordPage}?token=${token}&undo`,
            },
          ]
        : [{ block: 'paragraph' as const, text: 'If it wasn’t you, reply to this email.' }]),
    ],
    reason: accountReason,
  };
}

/** Whether the user has left this address before. If so, they have it again because a later change was undone. */
async function hasLeft({ database: { db } }: Shop, userId: string, email: string): Promise<boolean> {
  const notice = db
    .selectFrom('mail')
    .select('id')
    .where(isAccountNotice)
    .where('about', '=', userId)
    .where('kind', '=', 'address changed')
    .where('recipient', '=', email);
  return (await notice.executeTakeFirst()) !== undefined;
}

/** Goes to the address that the account had in the meantime, which may be the user's own. Doesn't name the former address. */
const describeUndo = (shop: Shop, at: number): LetterText => ({
  subject: 'The change of your email address was undone',
  preview: 'If that’s wrong, reply to this email.',
  heading: 'The change of your email address was undone',
  blocks: [
    {
      block: 'paragraph',
      text: `The email address of an account was changed to this one, and on ${formatTime(at, shop.config.timeZone)} that change was undone: the account has its former address and a new password, and every device is signed out. We’ll write to the former address from now on.`,
    },
    { block: 'paragraph', text: 'If that’s wrong, reply to this email.' },
  ],
  reason: accountReason,
});
