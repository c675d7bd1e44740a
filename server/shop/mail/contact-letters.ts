import { dayMs } from '../../../contract/durations.ts';
import { confirmSubscriptionPage } from '../../../contract/page-addresses.ts';
import { issueToken } from '../../identity/recovery/tokens.ts';
import type { MailRow } from '../../mail/outbox.ts';
import { buildUnsubscribeUrl } from '../contact/newsletter.ts';
import type { Shop } from '../shop.ts';
import { isLinkWithinLimit } from './account-limits.ts';
import type { LetterText } from './letters.ts';

const linkDays = 3;

/** A message from the contact form, for the shopkeeper. The visitor's text is only quoted. */
export async function writeContactMessage(
  { database }: Shop,
  { about }: MailRow,
): Promise<LetterText | undefined> {
  const message = await database.db
    .selectFrom('contact_message')
    .selectAll()
    .where('id', '=', about)
    .executeTakeFirst();
  return (
    message && {
      subject: `Message from ${message.email}`,
      preview: 'Your reply goes to the visitor.',
      heading: 'Message from the contact form',
      blocks: [
        {
          block: 'paragraph',
          text: `A visitor sent this through the contact form, with the email address ${message.email}. The shop has not verified that the address is theirs.`,
        },
        { block: 'quote', text: message.text.replace(/\r\n?|\u2028|\u2029/g, '\n') },
        { block: 'paragraph', text: 'Reply to this email to answer.' },
      ],
      replyTo: message.email,
      reason: 'You’re receiving this email because it is the shop’s contact address.',
    }
  );
}

/** Asks the recipient to confirm, or says that the address is already subscribed. Contains no text that a visitor typed. */
export async function writeNewsletterRequest(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  const { recipient } = mail;
  const { config, database } = shop;
  // The limit comes first: a new token makes the link in the previous message invalid.
  if (!(await isLinkWithinLimit(shop, mail, 'newsletter'))) return undefined;
  const subscriber = await database.db
    .selectFrom('subscriber')
    .selectAll()
    .where('email', '=', recipient)
    .executeTakeFirst();
  const reason = 'You’re receiving this email because somebody entered your address in our newsletter form.';
  if (subscriber) {
    const unsubscribeUrl = buildUnsubscribeUrl(config, subscriber);
    return {
      subject: 'You’re already subscribed to our newsletter',
      preview: 'You don’t need to do anything.',
      heading: 'You’re already subscribed',
      blocks: [
        { block: 'paragraph', text: 'This address is already on the list for our newsletter.' },
        { block: 'button', label: 'Unsubscribe', url: unsubscribeUrl },
      ],
      unsubscribeUrl,
      reason,
    };
  }
  const token = await issueToken(database, 'confirm subscription', recipient, {
    lifetimeMs: linkDays * dayMs,
  });
  return {
    subject: 'Confirm your newsletter subscription',
    preview: `The link works for ${linkDays} days.`,
    heading: 'Subscribe to our newsletter?',
    blocks: [
      {
        block: 'paragraph',
        text: `Somebody, probably you, asked us to send our newsletter to this address. To subscribe, open this link and press the button on the page. The link works for ${linkDays} days. If it wasn’t you, you don’t need to do anything.`,
      },
      {
        block: 'button',
        label: 'Confirm your subscription',
        url: `${config.origins[0]}${confirmSubscriptionPage}?token=${encodeURIComponent(token)}`,
      },
    ],
    reason,
  };
}
