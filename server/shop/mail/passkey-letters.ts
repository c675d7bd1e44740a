import { formatTime } from '../../config/time-zone.ts';
import type { MailRow } from '../../mail/outbox.ts';
import type { Shop } from '../shop.ts';
import { writeNotice } from './account-letters.ts';
import { isNoticeWithinLimit } from './account-limits.ts';
import type { LetterText } from './letters.ts';

const notices = {
  added: {
    limit: 'passkey',
    effect: 'It now signs you in without your password.',
    advice: 'That removes all passkeys and signs out every device that uses your account.',
  },
  removed: {
    limit: 'passkey removed',
    effect: 'It no longer works.',
    advice: 'That signs out every device that uses your account.',
  },
};

/** Returns undefined, and nothing is sent, if the address has had too many messages. */
export const writePasskeyNotice =
  (change: keyof typeof notices) =>
  async (shop: Shop, mail: MailRow): Promise<LetterText | undefined> => {
    const { limit, effect, advice } = notices[change];
    if (!(await isNoticeWithinLimit(shop, mail, limit))) return undefined;
    const event = `A passkey was ${change} ${change === 'added' ? 'to' : 'from'} your account`;
    return writeNotice(shop, event, [
      `${event} on ${formatTime(mail.created_at, shop.config.timeZone)}. ${effect} If it was you, you don’t need to do anything.`,
      `If it wasn’t you, reset your password now. ${advice}`,
    ]);
  };
