/** Messages about a change of an account. Their `about` is the user's id, and their recipient may be a former or a future address. */
export const accountNoticeKinds = [
  'password changed',
  'two-factor on',
  'two-factor off',
  'passkey added',
  'passkey removed',
  'change address',
  'address changed',
] as const;

/** Messages about an account. They are sent before all other messages, because a person waits for the link or must be warned. */
export const accountMailKinds = [
  'confirm address',
  'reset password',
  ...accountNoticeKinds,
  'account deleted',
] as const;

/** The messages that the shop sends. */
export const mailKinds = [
  'order placed',
  'hold ending',
  'order expired',
  'order deleted',
  'order paid',
  'order shipped',
  'tracking added',
  'tracking corrected',
  'order refunded',
  'delivery changed',
  'refund failed',
  'back in stock',
  'new order',
  'low stock',
  'new reviews',
  'health problem',
  ...accountMailKinds,
  'contact message',
  'newsletter',
] as const;
export type MailKind = (typeof mailKinds)[number];

/** One tool of an order: `2 × Mainspring winder`, with its total. `image` is an absolute URL. */
export type LetterLine = { text: string; note?: string; amount?: string; image?: string };

/** One part of a message. */
export type LetterBlock =
  /** `hasCommands`: commands in the text are between backticks. */
  | { block: 'paragraph'; text: string; hasCommands?: boolean }
  | { block: 'button'; label: string; url: string }
  /** A second way, beside the button. */
  | { block: 'link'; label: string; url: string }
  /** Text that a visitor wrote, marked as such. */
  | { block: 'quote'; text: string }
  | { block: 'lines'; lines: LetterLine[]; totals: { label: string; amount: string }[] }
  | { block: 'facts'; facts: { label: string; value: string; url?: string }[] };

/** A message before it is rendered as HTML and as plain text. It contains no markup. */
export type Letter = {
  subject: string;
  /** The text that mail programs show after the subject. */
  preview: string;
  heading: string;
  blocks: LetterBlock[];
  /** The address that replies go to, if not the sender's. */
  replyTo?: string;
  /** Ends the recipient's subscription, by GET and POST (RFC 8058). */
  unsubscribeUrl?: string;
  /** How to reach the shop. Messages to the shop itself have none. */
  contact?: { text: string; link?: { label: string; url: string } };
  /** Why the recipient gets the message. */
  reason: string;
  /** `address` has several lines. */
  shop: { name: string; address: string; taxId: string; url: string };
};

/** The build entry that renders messages (`web/entry-mail.tsx`). */
export type MailEntry = { writeHtml: (letter: Letter) => string };
