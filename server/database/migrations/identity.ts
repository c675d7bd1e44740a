import type { Statements } from './dialects.ts';

/** Better Auth's tables, with the types it uses on each engine, and the shop's own columns of `user` and `session`. */
export const identityTables: Statements = ({ engine, date, flag, no }) => [
  `create table "user" (
    id text primary key,
    name text not null,
    email text not null unique,
    "emailVerified" ${flag} not null,
    image text,
    "createdAt" ${date} not null,
    "updatedAt" ${date} not null,
    role text,
    address text not null default '',
    phone text not null default '',
    education text not null default '',
    "linkedIn" text not null default '',
    "twoFactorEnabled" ${flag} not null default ${no},
    constraint user_role check (role is null or role = 'admin')
  )`,
  // The unique index is sorted by the database's locale, so it cannot find prefixes.
  ...(engine === 'postgres' ? [`create index user_email on "user" (email collate "C")`] : []),
  `create index user_admin on "user" (id) where role = 'admin'`,
  `create table session (
    id text primary key,
    token text not null unique,
    "userId" text not null references "user" (id) on delete cascade,
    "expiresAt" ${date} not null,
    "createdAt" ${date} not null,
    "updatedAt" ${date} not null,
    "ipAddress" text,
    "userAgent" text,
    "secondFactor" ${flag} not null default ${no}
  )`,
  `create index "session_user" on session ("userId", "createdAt")`,
  `create index session_end on session ("expiresAt")`,
  `create table account (
    id text primary key,
    "accountId" text not null,
    "providerId" text not null,
    "userId" text not null references "user" (id) on delete cascade,
    "accessToken" text,
    "refreshToken" text,
    "idToken" text,
    "accessTokenExpiresAt" ${date},
    "refreshTokenExpiresAt" ${date},
    scope text,
    password text,
    "createdAt" ${date} not null,
    "updatedAt" ${date} not null,
    constraint account_provider unique ("providerId", "accountId")
  )`,
  `create index account_user on account ("userId", id)`,
  `create table verification (
    id text primary key,
    identifier text not null,
    value text not null,
    "expiresAt" ${date} not null,
    "createdAt" ${date} not null,
    "updatedAt" ${date} not null
  )`,
  `create index verification_identifier on verification (identifier)`,
  `create index verification_end on verification ("expiresAt")`,
  `create index verification_value on verification (value)`,
  // A user has at most one authenticator app.
  `create table "twoFactor" (
    id text primary key,
    "userId" text not null unique references "user" (id) on delete cascade,
    secret text not null,
    "backupCodes" text not null,
    verified ${flag} not null,
    "failedVerificationCount" integer not null default 0,
    "lockedUntil" ${date}
  )`,
  // Better Auth's plugin does not check that the id of a credential is new. Without the constraint, someone who has seen another
  // user's id could register it with their own key (WebAuthn Level 3, 7.1, step 26).
  `create table passkey (
    id text primary key,
    name text,
    "publicKey" text not null,
    "userId" text not null references "user" (id) on delete cascade,
    "credentialID" text not null unique,
    counter bigint not null,
    "deviceType" text not null,
    "backedUp" ${flag} not null,
    transports text,
    "createdAt" ${date},
    aaguid text
  )`,
  `create index passkey_user on passkey ("userId")`,
];
