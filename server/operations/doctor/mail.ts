import { Resolver } from 'node:dns/promises';
import type { Config } from '../../config/config.ts';
import { findServerProblem, type SmtpError, serverProblems } from '../../mail/server-problem.ts';
import { getAddress } from '../../mail/transport.ts';
import { describeMissingMail } from '../health/troubles.ts';
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
      describeMissingMail(settingsWithoutMail),
      'Set SMTP_URL to your mail server and MAIL_FROM to your address.',
    );
  const { hostname } = new URL(mail.url);
  try {
    await checkSender(mail);
    report.ok(
      `Mail: ${hostname} accepts the connection, the password and the sender. Messages come from ${mail.from}.`,
    );
  } catch (error) {
    const smtpError: SmtpError = error instanceof Error ? error : new Error(String(error));
    const problem = findServerProblem(smtpError);
    const { finding, advice } = serverProblems[problem];
    const sender = problem === 'sender' ? ` ${getAddress(mail.from)}` : '';
    const { response = '' } = smtpError;
    report.error(
      `Mail: ${hostname} ${finding}${sender}${response && `: ${response.slice(0, 200)}`}.`,
      advice,
    );
  }
  const domain = getAddress(mail.from).replace(/^.*@/s, '');
  if (domain.includes('.')) await checkSenderDomain(domain, report, dns);
}
