import { type ParsedMail, simpleParser } from 'mailparser';
import { expect } from 'vitest';
import type { TestShop } from './shop.ts';
import { waitUntil } from './wait.ts';

/** The messages to an address in the stand-in's inbox, newest first. */
export async function listLetters(shop: TestShop, to: string): Promise<ParsedMail[]> {
  const received = (await shop.inbox.list()).filter(({ recipients }) => recipients === to);
  return Promise.all(received.map(({ raw }) => simpleParser(raw)));
}

/** Waits for a message to `to` whose subject matches. The shop must listen. */
export async function waitForLetter(shop: TestShop, to: string, subject: RegExp): Promise<ParsedMail> {
  const find = async () => (await listLetters(shop, to)).find((letter) => subject.test(letter.subject ?? ''));
  return waitUntil(async () => (await find()) ?? expect.unreachable());
}

/** Deletes all messages, such as those about the sign-ups of a test. */
export async function deleteMail({ database: { db } }: TestShop): Promise<void> {
  await db.deleteFrom('mail').execute();
}

/** Makes all waiting messages due, such as those about parcels, which wait a minute. */
export async function hurryMail({ database: { db } }: TestShop): Promise<void> {
  await db.updateTable('mail').set({ due_at: 0 }).where('state', '=', 'waiting').execute();
}

/** Waits until every message has been sent, dropped or rejected, except those about reviews, which wait for the end of the hour. */
export async function waitForDelivery({ database: { db } }: TestShop): Promise<void> {
  const list = () =>
    db.selectFrom('mail').select(['kind', 'state']).where('kind', '<>', 'new reviews').execute();
  await waitUntil(async () =>
    expect(await list()).not.toContainEqual(expect.objectContaining({ state: 'waiting' })),
  );
}

/** The token of the newest message to an address with a link to `path`. */
export async function readToken(shop: TestShop, to: string, path: string): Promise<string> {
  await waitForDelivery(shop);
  const link = new RegExp(`${path}\\?token=([\\w-]+)`);
  const tokens = (await listLetters(shop, to)).flatMap(({ text = '' }) => link.exec(text)?.[1] ?? []);
  return tokens[0] ?? expect.unreachable();
}
