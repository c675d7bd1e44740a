import type { Kysely } from 'kysely';
import { openInbox } from './inbox.ts';
import { serveInbox } from './pages.ts';
import { type SmtpServer, startSmtpServer } from './smtp.ts';

/** Whether a path is the inbox or below it. */
export const isInboxPath = (path: string): boolean => /^\/sandbox\/mail(\/|$)/.test(path);

/** The stand-in for a mail server: it keeps every message in an inbox, which `fetch` serves under `/sandbox/mail`. */
export async function openMail(db: Kysely<unknown>, onError: (error: unknown) => void) {
  const inbox = await openInbox(db);
  let server: Promise<SmtpServer> | undefined;
  return {
    inbox,
    /** Starts the server on the first call. Returns its URL, with user and password. */
    async start(): Promise<string> {
      server ??= startSmtpServer(inbox, onError).catch((error: unknown) => {
        // The next call tries again.
        server = undefined;
        throw error;
      });
      return (await server).url;
    },
    fetch: (request: Request) => serveInbox(inbox, request),
    async close(): Promise<void> {
      await (await server)?.close();
    },
  };
}
