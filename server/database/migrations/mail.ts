import type { Statements } from './dialects.ts';

/** The outbox, the problems that were reported to admins, messages from the contact form, and the newsletter's addresses. */
export const mailTables: Statements = ({ clustered }) => [
  // The outbox. Every order writes to it, so writes must be cheap: on SQLite, the primary key's index stores the rows, and a new
  // message about an order is in only one other index.
  `create table mail (
    id text not null primary key,
    kind text not null,
    -- No foreign key, which would lock the user with each message.
    user_id text,
    recipient text not null,
    about text not null,
    state text not null,
    attempts bigint not null default 0,
    due_at bigint not null,
    give_up_at bigint not null,
    created_at bigint not null,
    sent_at bigint
  ) ${clustered}`,
  `create index mail_waiting on mail (due_at, id) where state = 'waiting'`,
  // Messages about accounts are sent first.
  `create index mail_account_waiting on mail (due_at) where state = 'waiting' and kind in ('confirm address', 'reset password', 'password changed', 'two-factor on', 'two-factor off', 'passkey added', 'passkey removed', 'change address', 'address changed', 'account deleted')`,
  `create index mail_failed on mail (due_at, id) where state = 'failed'`,
  `create index mail_sent on mail (recipient, id) where state = 'sent' and user_id is null`,
  `create index mail_sent_user on mail (user_id, id) where state = 'sent' and user_id is not null`,
  `create index mail_back_in_stock on mail (substr(about, 1, 22)) where kind = 'back in stock'`,
  `create index mail_account_notice on mail (about, id) where kind in ('password changed', 'two-factor on', 'two-factor off', 'passkey added', 'passkey removed', 'change address', 'address changed')`,
  `create table mail_attempt (
    mail_id text not null references mail (id) on delete cascade,
    attempt bigint not null,
    at bigint not null,
    response text not null,
    constraint mail_attempt_key primary key (mail_id, attempt)
  )`,
  `create table trouble_report (
    name text not null primary key,
    latest text not null,
    reported_at bigint not null
  )`,
  `create table contact_message (
    id text not null primary key,
    email text not null,
    text text not null,
    created_at bigint not null,
    answered_at bigint
  )`,
  `create index contact_message_email on contact_message (email, id)`,
  `create index contact_message_open on contact_message (id) where answered_at is null`,
  `create index contact_message_answered on contact_message (id) where answered_at is not null`,
  `create table subscriber (
    id text not null primary key,
    email text not null unique,
    token text not null unique,
    confirmed_at bigint not null
  )`,
];
