import { isLoopback } from '../config/config.ts';
import type { AttemptResult } from './outbox.ts';
import { flowText } from './plain-text.ts';
import { findServerProblem, type SmtpError } from './server-problem.ts';

export type SmtpSettings = { url: string; from: string };
export type Message = {
  id: string;
  to: string;
  subject: string;
  html: string;
  text: string;
  replyTo?: string | undefined;
  /** Ends the recipient's subscription, by GET and POST. */
  unsubscribeUrl?: string | undefined;
};

/** Messages in progress at the same time. */
export const maxConnections = 5;
const defaultTimeouts = {
  connectMs: 15_000,
  /** Longer than a slow server takes to check a message for spam. */
  responseMs: 60_000,
};
/** Limits the whole attempt, even if the server sends a line now and then. Shorter than a claim (`outbox.ts`). */
const sendTimeoutMs = 2 * 60_000;
/** Servers close idle connections, typically after a minute or more. */
const idleConnectionMs = 20_000;

export type Transport = Awaited<ReturnType<typeof openTransport>>;

/** Opens a pool of SMTP connections, which connects when the first message is sent. */
export async function openTransport({ url, from }: SmtpSettings, timeouts = defaultTimeouts) {
  const { createTransport } = await import('nodemailer');
  const transporter = createTransport({
    ...describeServer(url),
    pool: true,
    maxConnections,
    maxMessages: 1000,
    // Only the outbox retries: it counts the attempts and survives the process.
    maxRequeues: 0,
    idleTimeout: idleConnectionMs,
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    socketTimeout: timeouts.responseMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = getAddress(from).replace(/^.*@/s, '');

  return {
    async send({ id, to, subject, html, text, replyTo, unsubscribeUrl }: Message): Promise<AttemptResult> {
      try {
        const { response } = await transporter.sendMail({
          // The same in every attempt, so that mail programs recognize a message that arrives twice.
          messageId: `<${id}@${domain}>`,
          from,
          to: { name: '', address: to },
          subject,
          alternatives: [
            { contentType: 'text/plain; charset=utf-8; format=flowed', content: flowText(text) },
            { contentType: 'text/html; charset=utf-8', content: html },
          ],
          ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
          headers: {
            // Asks other programs not to reply automatically (RFC 3834).
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl ? describeUnsubscribe(unsubscribeUrl) : {}),
          },
          signal: AbortSignal.timeout(sendTimeoutMs),
        });
        return { state: 'sent', response: response ?? '' };
      } catch (error) {
        return toResult(error);
      }
    },
    close: () => transporter.close({ force: true }),
  };
}

/** The address in `Name <address>`. */
export const getAddress = (from: string) => from.replace(/^.*<|>\s*$/gs, '');

/** Uses only these parts of the URL. Nodemailer would also read options from the query, such as one that turns off TLS. */
export function describeServer(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const user = decodeURIComponent(username);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isLocal = isLoopback(host);
  return {
    host,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    ...(user ? { auth: { user, pass: decodeURIComponent(password) } } : {}),
    // Without TLS, anybody on the network path could read the password and the messages.
    requireTLS: !isLocal,
    // A mail server on this machine usually has a self-signed certificate.
    tls: { rejectUnauthorized: !isLocal },
  };
}

/** RFC 2369, and RFC 8058 for one click. */
const describeUnsubscribe = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

/**
 * A 5yz reply to `RCPT TO` or to the message itself is final (RFC 5321, 4.2.1). Any other failure may be temporary: greylisting
 * (4yz), a full disk, or a wrong password that the shopkeeper will correct.
 */
function toResult(thrown: unknown): AttemptResult {
  const error: SmtpError = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { code, command = '', responseCode = 0, response = error.message } = error;
  const isAboutMessage = code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM');
  const state = isAboutMessage && responseCode >= 500 ? 'failed' : 'waiting';
  const isServerProblem = !isAboutMessage || responseCode === 421;
  return { state, response, ...(isServerProblem ? { problem: findServerProblem(error) } : {}) };
}
