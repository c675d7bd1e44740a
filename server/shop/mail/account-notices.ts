import { sql } from 'kysely';
import type { MailKind } from '../../../contract/mail.ts';

/** Messages about an account. Their `about` is the user's id, and their recipient may be a former or a future address. */
export const accountNotices = [
  'password changed',
  'two-factor on',
  'two-factor off',
  'passkey added',
  'passkey removed',
  'change address',
  'address changed',
] as const satisfies MailKind[];

/** The condition of the index `mail_account_notice`. */
export const isAccountNotice = sql<boolean>`kind in (${sql.join(accountNotices.map((kind) => sql.lit(kind)))})`;
