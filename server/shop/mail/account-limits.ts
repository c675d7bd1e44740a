import { findFormerUser } from '../../identity/recovery/former-addresses.ts';
import { getLinkWindow, type LinkPurpose } from '../../identity/recovery/mail-limits.ts';
import { toMailbox } from '../../mail/mailbox.ts';
import type { MailRow } from '../../mail/outbox.ts';
import type { Shop } from '../shop.ts';
import { countMessage } from './message-count.ts';

/*
 * Messages are counted when they are written, not in the request, so that the response doesn't reveal whether an address has
 * an account.
 */

/** The `about` of a message to the confirmed address of an account that no longer exists. */
export const aboutConfirmed = 'confirmed';

/**
 * Names a message's recipient for a limit. A stranger can sign up with somebody else's address, and with any number of variants
 * (`tom+1@`), but not confirm them: unconfirmed addresses count together by their mailbox, and a confirmed one on its own.
 */
export async function nameRecipient({ database: { db } }: Shop, mail: MailRow): Promise<string> {
  const { kind, recipient, about } = mail;
  const user = db.selectFrom('user').select('emailVerified').where('email', '=', recipient);
  const isConfirmed =
    (kind === 'account deleted' && about === aboutConfirmed) ||
    Boolean((await user.executeTakeFirst())?.emailVerified) ||
    (await findFormerUser(db, recipient)) !== undefined;
  return isConfirmed ? `confirmed ${recipient}` : toMailbox(recipient);
}

/**
 * Whether a link may be sent. If not, an earlier message in the mailbox has a valid link, or several strangers have used up the
 * limit.
 */
export const isLinkWithinLimit = async (shop: Shop, mail: MailRow, purpose: LinkPurpose): Promise<boolean> =>
  countMessage(
    shop,
    mail,
    `${purpose} mail to ${await nameRecipient(shop, mail)}`,
    shop.rateLimits.linksPerRecipient,
    getLinkWindow(purpose),
  );

/**
 * Whether a notice may be sent. A stranger can open an account with somebody else's address. Without a limit, the stranger could
 * change its password all day, and each change would send a notice to the address's owner. Each topic has its own limit, so that
 * neither requests for links nor notices about other topics can suppress a notice.
 */
export const isNoticeWithinLimit = async (shop: Shop, mail: MailRow, topic: string): Promise<boolean> =>
  countMessage(
    shop,
    mail,
    `${topic} mail to ${await nameRecipient(shop, mail)}`,
    shop.rateLimits.noticesPerRecipient,
  );
