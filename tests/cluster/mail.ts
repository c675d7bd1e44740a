import { expect } from 'vitest';
import { withDatabases } from '../support/auditor.ts';
import type { MailServer } from '../support/mail-server.ts';

/** Settings of a shop whose mail goes to a mail server. */
export const mailSettings = ({ url }: MailServer) => ({
  SMTP_URL: url,
  MAIL_FROM: 'Shop <shop@shop.example>',
});

/**
 * Waits until no message is waiting. Checks that messages were sent, that each message that is recorded as sent was received, and
 * that no purchase has two `order placed` messages. The server may have received more than is recorded: if a process is killed
 * before it records a message as sent, the message is sent again, or dropped if its order has been deleted.
 */
export async function expectMailOnce(place: { url: string }, mailServer: MailServer): Promise<void> {
  const listMail = () =>
    withDatabases(place, ({ shop }) =>
      shop.selectFrom('mail').select(['id', 'kind', 'about', 'state', 'recipient']).execute(),
    );
  await expect
    .poll(async () => (await listMail()).filter(({ state }) => state === 'waiting'), { timeout: 60_000 })
    .toEqual([]);
  const mail = await listMail();
  const received = new Set(
    mailServer.received.map(({ raw }) => /^Message-ID: <(.+)@shop\.example>\r$/im.exec(raw)?.[1]),
  );
  expect(mail.filter(({ id, state }) => state === 'sent' && !received.has(id))).toEqual([]);
  expect(mail.some(({ state }) => state === 'sent')).toBe(true);
  const placed = mail.filter(({ kind }) => kind === 'order placed').map(({ about }) => about);
  expect(placed.length).toBe(new Set(placed).size);
}
