import { Resolver } from 'node:dns/promises';
import type { Config } from '../../config/config.ts';
import { getAddress } from '../../mail/transport.ts';
import { checkSender } from './mail-sender.ts';
import type { Report } from './report.ts';
import { checkSenderDomain } from './sender-domain.ts';

const dnsTimeoutMs = 2000;

/** Connects to the mail server, with TLS and the password, offers it a message, and sends nothing. */
export async function checkMail(
  { mail, services, settingsWithoutMail }: Config,
  report: Report,
  dns: Pick<Resolver, 'resolveTxt'> = new Resolver({ timeout: dnsTimeoutMs, tries: 1 }),
): Promise<void> {
  if (!mail && !services) return report.ok('Mail: the stand-in, whose inbox is at /sandbox/mail.');
  if (!mail)
    return report.warn(
      `Mail: SMTP_URL is not set, so customers get no receipts${settingsWithoutMail.length > 0 ? `, and ${settingsWithoutMail.join(' and ')} ${settingsWithoutMail.length > 1 ? 'have' : 'has'} no effect` : ''}.`,
      'Set SMTP_URL to your mail server and MAIL_FROM to your address.',
    );
  const { hostname } = new URL(mail.url);
  try {
    await checkSender(mail);
    report.ok(
      `Mail: ${hostname} accepts the connection, the password and the sender. Messages come from ${mail.from}.`,
    );
  } catch (error) {
    const { code, syscall, response = '' } = toSmtpError(error);
    const reason = syscall === 'connect' ? 'ECONNECTION' : code;
    const [finding, advice] = explain(reason, getAddress(mail.from));
    report.error(`Mail: ${hostname} ${finding}${response && `: ${response.slice(0, 200)}`}.`, advice);
  }
  const domain = getAddress(mail.from).replace(/^.*@/s, '');
  if (domain.includes('.')) await checkSenderDomain(domain, report, dns);
}

const toSmtpError = (error: unknown): { code?: string; syscall?: string; response?: string } =>
  typeof error === 'object' && error !== null ? error : {};

/** https://nodemailer.com/errors */
function explain(code: string | undefined, sender: string): [finding: string, advice: string] {
  if (code === 'EENVELOPE')
    return [
      `rejects the sender ${sender}`,
      'Set MAIL_FROM to an address that the user of SMTP_URL may send from.',
    ];
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return [
      'rejects the password',
      'Check the user and password in SMTP_URL. Special characters must be URL-encoded, such as %40 for @.',
    ];
  if (code === 'ETLS' || code === 'ESOCKET')
    return [
      'does not offer a secure connection',
      'Use smtps:// with port 465 or smtp:// with port 587, and the host name in its certificate.',
    ];
  return ['does not respond', 'Check the host and port in SMTP_URL, and this machine’s network.'];
}
