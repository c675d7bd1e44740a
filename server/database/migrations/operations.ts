import type { Engine } from '../schema.ts';
import type { Statements } from './dialects.ts';

/** State that processes share, the log of admins' actions, and the data of the Health page. */
export const operationsTables: Statements = ({ engine }) => [
  `create table setting (
    name text primary key,
    value text not null
  )`,
  `create table audit (
    id text primary key,
    created_at bigint not null,
    -- No foreign keys: an entry outlives its actor and its target.
    actor_id text,
    actor text not null,
    action text not null,
    target text not null,
    name text not null,
    details text not null default '',
    quantity bigint
  )`,
  `create index audit_actor on audit ((coalesce(actor_id, actor)), id)`,
  `create index audit_target on audit (target, id)`,
  `create table idempotency_key (
    scope text not null,
    key text not null,
    request text not null,
    inserted_id text not null,
    created_at bigint not null,
    constraint idempotency_key_key primary key (scope, key)
  )`,
  `create index idempotency_key_age on idempotency_key (created_at)`,
  `create table imported_file (
    digest text primary key,
    import_id text not null
  )`,
  `create table rate_limit (
    name text primary key,
    count bigint not null,
    ends_at bigint not null
  )`,
  `create index rate_limit_end on rate_limit (ends_at)`,
  `create table lease (
    name text primary key,
    holder text not null,
    until bigint not null
  )`,
  `create table last_time (
    name text primary key,
    at bigint not null
  )`,
  `create table outage (
    service text primary key,
    since bigint not null,
    problem text not null
  )`,
  `create table error_count (
    hour bigint not null,
    what text not null,
    times bigint not null,
    last_at bigint not null,
    request_id text,
    constraint error_count_key primary key (hour, what)
  )`,
  ...appendOnly[engine],
];

/** The database itself rejects changes to the log (`docs/decisions/010-an-audit-log-that-only-grows.md`). */
const appendOnly: Record<Engine, string[]> = {
  sqlite: [
    ...['update', 'delete'].map(
      (action) => `create trigger audit_no_${action} before ${action} on audit
        begin select raise(abort, 'the audit log is append-only'); end`,
    ),
    // REPLACE deletes the old row without firing its delete trigger. It may also identify the row by SQLite's rowid.
    `create trigger audit_no_replace before insert on audit
      when exists (select 1 from audit where id = new.id or rowid = new.rowid)
      begin select raise(abort, 'the audit log is append-only'); end`,
  ],
  postgres: [
    `create or replace function audit_append_only() returns trigger language plpgsql as
      $$ begin raise exception 'the audit log is append-only'; end $$`,
    `create trigger audit_append_only before update or delete on audit
      for each row execute function audit_append_only()`,
    // TRUNCATE fires no row trigger.
    `create trigger audit_no_truncate before truncate on audit
      for each statement execute function audit_append_only()`,
  ],
};
