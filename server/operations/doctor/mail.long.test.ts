import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { type MailServer, startMailServer } from '../../../tests/support/mail-server.ts';
import { readConfig } from '../../config/config.ts';
import { checkMail } from './mail.ts';
import { createReport } from './report.ts';
import { checkSenderDomain } from './sender-domain.ts';

/** A DNS with these TXT records. A missing name below one that exists has no records; any other does not exist. */
const createDns = (records: Record<string, string[]>) => ({
  async resolveTxt(name: string): Promise<string[][]> {
    const found = records[name];
    if (found) return found.map((text) => [text.slice(0, 5), text.slice(5)]);
    const isParent = Object.keys(records).some((known) => known.endsWith(`.${name}`));
    throw Object.assign(new Error('no records'), { code: isParent ? 'ENODATA' : 'ENOTFOUND' });
  },
});

async function checkDomain(dns: Parameters<typeof checkSenderDomain>[2], domain = 'mail.shop.example') {
  const lines: string[] = [];
  await checkSenderDomain(
    domain,
    createReport((line) => void lines.push(line)),
    dns,
  );
  return lines;
}

test('SPF, DKIM and DMARC records are found, also those of the organization', async () => {
  const complete = {
    'mail.shop.example': ['google-site-verification=x', 'v=spf1 include:mail.example -all'],
    '_dmarc.shop.example': ['v=DMARC1; p=reject'],
    's1._domainkey.mail.shop.example': ['v=DKIM1; p=x'],
  };
  expect(await checkDomain(createDns(complete))).toEqual([
    expect.stringMatching(/^ok .*has SPF and DMARC records\..*dkim=pass/),
  ]);
  expect(await checkDomain(createDns({ 'mail.shop.example': ['v=spf10'] }))).toEqual([
    expect.stringMatching(/^warning .*no SPF record .*no DMARC record .*no DKIM key .*spam\.$/),
    expect.stringContaining('Add the records'),
  ]);
});

test('without DNS, nothing is wrong: the records could not be looked up', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const dns = new Resolver({ timeout: 100, tries: 1 });
  dns.setServers([`127.0.0.1:${silent.address().port}`]);
  expect(await checkDomain(dns)).toEqual([
    'ok       Mail: SPF, DMARC, DKIM of mail.shop.example could not be looked up: DNS did not answer.',
  ]);
});

async function check({ url }: MailServer) {
  const lines: string[] = [];
  const config = readConfig({ SMTP_URL: url, MAIL_FROM: 'Shop <shop@shop.example>' });
  await checkMail(
    config,
    createReport((line) => void lines.push(line)),
    createDns({}),
  );
  return lines[0];
}

test('the mail server accepts the connection, the password and the sender, and gets no message', async () => {
  const server = await startMailServer();
  expect(await check(server)).toMatch(/^ok .*accepts the connection, the password and the sender/);
  server.behaviour.mailFrom = { code: 553, message: 'Sender not allowed' };
  expect(await check(server)).toMatch(
    /^error .*rejects the sender shop@shop\.example: 553 Sender not allowed\.$/,
  );
  // The doctor waits for five seconds.
  server.behaviour.mailFrom = 'hang';
  expect(await check(server)).toMatch(/^error .*does not respond\.$/);
  server.accounts.clear();
  expect(await check(server)).toMatch(/^error .*rejects the password: 535 Wrong password\.$/);
  await server.close();
  expect(await check(server)).toMatch(/^error .*refuses the connection\.$/);
  expect(server.received).toEqual([]);
});
