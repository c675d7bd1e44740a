import type { Config, Mode } from '../../config/config.ts';
import { authBase } from '../../identity/calls.ts';
import { checkAddress, getWebhookUrl } from './address.ts';
import { checkDatabase } from './database.ts';
import { checkMail } from './mail.ts';
import { createReport, probe, type Report } from './report.ts';
import { checkStripe } from './stripe.ts';

const shopKinds: Record<Mode, string> = {
  sandbox: 'a sandbox, where no real card is charged',
  test: 'a shop with test keys of Stripe, where no real card is charged',
  live: 'a live shop',
};

/** Checks a shop, whether or not it is running. Read-only. Returns the number of findings by severity. */
export async function runDoctor(config: Config, print: (line: string) => void): Promise<Report['counts']> {
  const report = createReport(print);
  const { services, mode } = config;
  report.ok(`Settings: valid, for ${shopKinds[mode]}.`);
  for (const sentence of config.misspelled) report.warn(sentence, 'Rename it, or remove it.');
  await checkDatabase(config, report);
  await checkAddress(config, report);
  if (services) {
    await checkStripe(config, services, report);
    await checkGoogle(config, report);
  } else
    report.ok(
      `Stripe and Google: stand-ins. To go live (docs/operations.md), set PUBLIC_URL, a new DATA_DIR or DATABASE_URL, Stripe's two keys, the secret of a webhook for ${getWebhookUrl(config)}, and Google's client or GOOGLE_SIGN_IN=off.`,
    );
  await checkMail(config, report);
  checkClock(report);
  return report.counts;
}

/** Checks that Google is reachable. Only the first sign-in shows whether the client secret is right. */
async function checkGoogle({ services, origins }: Config, report: Report): Promise<void> {
  if (!services?.google) return report.ok('Google: sign-in is off.');
  const startedAt = Date.now();
  const sent = await probe(services.google.discoveryUrl);
  if ('failed' in sent || !sent.value.ok)
    return report.error(
      `Google's discovery document is unavailable (${'failed' in sent ? sent.failed : sent.value.status}), so nobody can sign in with Google.`,
      'Check the network of this machine and GOOGLE_DISCOVERY_URL if it is set, or set GOOGLE_SIGN_IN=off.',
    );
  report.recordClock('Google', sent.value.headers.get('date'), startedAt);
  const redirectUri = `${origins[0]}${authBase}/callback/google`;
  report.ok(`Google is reachable. Its client must have the redirect URI ${redirectUri}.`);
}

/** Stripe's client rejects events whose signature is older than this: https://docs.stripe.com/webhooks. */
const maxSkewSeconds = 300;
/** More than network delays explain, but still harmless. */
const notableSkewSeconds = 30;

function checkClock(report: Report): void {
  const clocks = [...report.clocks].toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const [machine = '', aheadMs = 0] = clocks[0] ?? [];
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const finding = `Clock: this machine is ${seconds} seconds ${aheadMs > 0 ? 'behind' : 'ahead of'} ${machine}`;
  const advice = 'Synchronize its clock over the network: timedatectl set-ntp true.';
  if (seconds >= maxSkewSeconds)
    report.error(`${finding}: the shop rejects payment events beyond ${maxSkewSeconds} seconds.`, advice);
  else if (seconds >= notableSkewSeconds) report.warn(`${finding}.`, advice);
  else if (clocks.length > 0) report.ok(`Clock: agrees with ${clocks.map(([name]) => name).join(', ')}.`);
}
