import { nameRecipientLimit } from '../../identity/recovery/mail-limits.ts';
import { toMailbox } from '../../mail/mailbox.ts';
import type { MailRow } from '../../mail/outbox.ts';
import type { Shop } from '../shop.ts';
import { countMessage } from './message-count.ts';

/*
 * Counted when a message is written and not in the request, so that the response doesn't reveal whether an address has an
 * account.
 */

/** Whether a link may be sent to the address. */
export const isLinkWithinLimit = (shop: Shop, mail: MailRow): Promise<boolean> =>
  countAccountMessage(shop, mail, nameRecipientLimit(mail.recipient));

/** Whether a link may be sent to an address that a user has entered as theirs. All its variants (`tom+1@`) count together. */
export async function isNewAddressWithinLimit(shop: Shop, mail: MailRow): Promise<boolean> {
  if (!(await isLinkWithinLimit(shop, mail))) return false;
  return countAccountMessage(shop, mail, `confirm mail to ${toMailbox(mail.recipient)}`);
}

/**
 * Whether a notice may be sent. Limited, because an account's address need not be its user's own: a stranger could otherwise
 * change the password of such an account all day. Each topic has its own limit, so that neither requests for links nor other
 * notices can suppress it.
 */
export const isNoticeWithinLimit = (shop: Shop, mail: MailRow, topic: string): Promise<boolean> =>
  countAccountMessage(shop, mail, `${topic} mail to ${mail.recipient}`);

const countAccountMessage = (shop: Shop, mail: MailRow, name: string): Promise<boolean> =>
  countMessage(shop, mail, name, shop.rateLimits.accountMessagesPerRecipient);
