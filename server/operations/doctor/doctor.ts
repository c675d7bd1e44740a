import type { Config } from '../../config/config.ts';
import { authBase } from '../../identity/mounted-calls.ts';
import { checkAddress, getWebhookUrl } from './address.ts';
import { checkDatabase } from './database.ts';
import { probe } from './probe.ts';
import type { Report } from './report.ts';
import { checkStripe } from './stripe.ts';

/** Checks everything that the shop depends on, whether it is running or not. Read-only. */
export async function runDoctor(config: Config, report: Report): Promise<void> {
  const { services } = config;
  report.ok(`Settings: right, for ${services ? 'a live shop' : 'a sandbox, where no real card is charged'}.`);
  await checkDatabase(config, report);
  await checkAddress(config, report);
  if (services) {
    await checkStripe(config, services, report);
    await examineGoogle(config, report);
  } else
    report.ok(
      `Stripe and Google: stand-ins. To go live (docs/operations.md): PUBLIC_URL, a new place for the data, Stripe's two keys and the secret of a webhook for ${getWebhookUrl(config)}, Google's client or GOOGLE_SIGN_IN=off.`,
    );
  examineClock(report);
}

/** Checks that Google is reachable. Only the first sign-in shows whether the client secret is right. */
async function examineGoogle({ services, origins }: Config, report: Report): Promise<void> {
  if (!services?.google) return report.ok('Google: the sign-in with it is off.');
  const began = Date.now();
  const sent = await probe(services.google.discoveryUrl);
  if ('failed' in sent || !sent.response.ok)
    return report.error(
      `Google's discovery document cannot be had (${'failed' in sent ? sent.failed : sent.response.status}), and nobody can sign in with Google.`,
      'Let this machine reach it, see GOOGLE_DISCOVERY_URL where that is set, or set GOOGLE_SIGN_IN=off.',
    );
  report.recordClock('Google', sent.response.headers.get('date'), began);
  report.ok(
    `Google can be reached. Its client must have the redirect URI ${origins[0]}${authBase}/callback/google.`,
  );
}

/** Stripe's library rejects events that were signed longer ago: https://docs.stripe.com/webhooks. */
const maxSkewSeconds = 300;
/** More than network delays explain, less than does harm. */
const notableSkewSeconds = 30;

/** Compares this machine's clock with all others that were seen. */
function examineClock(report: Report): void {
  const clocks = [...report.clocks].toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const [whose = 'nobody', ahead = 0] = clocks[0] ?? [];
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const say = `Clock: this machine is ${seconds} seconds ${ahead > 0 ? 'behind' : 'ahead of'} ${whose}`;
  const todo = 'Let the machine set its clock by the network: timedatectl set-ntp true.';
  if (seconds >= maxSkewSeconds)
    report.error(`${say}: events of payments are refused beyond ${maxSkewSeconds} seconds.`, todo);
  else if (seconds >= notableSkewSeconds) report.warn(`${say}.`, todo);
  else if (clocks.length > 0) report.ok(`Clock: as of ${clocks.map(([name]) => name).join(', ')}.`);
}
