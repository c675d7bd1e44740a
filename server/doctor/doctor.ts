import type { Config } from '../config.ts';
import { authBase } from '../identity/form.ts';
import { examineAddress, webhookOf } from './address.ts';
import { ask } from './ask.ts';
import { examineDatabase } from './database.ts';
import type { Report } from './report.ts';
import { examineStripe } from './stripe.ts';

/**
 * Looks at what the shop needs, beside a running one or without, and says of each what there is to do. It changes
 * nothing, and asks each service only what costs nothing.
 */
export async function examine(config: Config, report: Report): Promise<void> {
  const { services } = config;
  report.ok(`Settings: right, for ${services ? 'a live shop' : 'a sandbox, where no real card is charged'}.`);
  await examineDatabase(config, report);
  await examineAddress(config, report);
  if (services) {
    await examineStripe(config, services, report);
    await examineGoogle(config, report);
  } else
    report.ok(
      `Stripe and Google: stand-ins. To go live (docs/operations.md): PUBLIC_URL, a new place for the data, Stripe's two keys and the secret of a webhook for ${webhookOf(config)}, Google's client or GOOGLE_SIGN_IN=off.`,
    );
  examineClock(report);
}

/** Whether people can sign in with Google here; whether the secret is right shows the first who does. */
async function examineGoogle({ services, origins }: Config, report: Report): Promise<void> {
  if (!services?.google) return report.ok('Google: the sign-in with it is off.');
  const began = Date.now();
  const asked = await ask(services.google.discoveryUrl);
  if ('failed' in asked || !asked.response.ok)
    return report.wrong(
      `Google's discovery document cannot be had (${'failed' in asked ? asked.failed : asked.response.status}), and nobody can sign in with Google.`,
      'Let this machine reach it, see GOOGLE_DISCOVERY_URL where that is set, or set GOOGLE_SIGN_IN=off.',
    );
  report.sawClock('Google', asked.response.headers.get('date'), began);
  report.ok(
    `Google can be reached. Its client must have the redirect URI ${origins[0]}${authBase}/callback/google.`,
  );
}

/** In seconds. Stripe's library refuses an event that was signed longer ago: https://docs.stripe.com/webhooks. */
const tolerance = 300;
/** Half a minute is more than any network needs, and less than does harm. */
const remarkable = 30;

/** This machine's clock beside all that were seen. */
function examineClock(report: Report): void {
  const clocks = [...report.clocks].toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const [whose = 'nobody', ahead = 0] = clocks[0] ?? [];
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const say = `Clock: this machine is ${seconds} seconds ${ahead > 0 ? 'behind' : 'ahead of'} ${whose}`;
  const todo = 'Let the machine set its clock by the network: timedatectl set-ntp true.';
  if (seconds >= tolerance)
    report.wrong(`${say}: events of payments are refused beyond ${tolerance} seconds.`, todo);
  else if (seconds >= remarkable) report.look(`${say}.`, todo);
  else if (clocks.length > 0) report.ok(`Clock: as of ${clocks.map(([name]) => name).join(', ')}.`);
}
