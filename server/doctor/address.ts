import { isIPv6 } from 'node:net';
import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import type { Config } from '../config.ts';
import { ask } from './ask.ts';
import type { Report } from './report.ts';

/** Where the provider sends its events. */
export const webhookOf = ({ origins }: Config) => origins[0] + apiBase + contract.receiveStripeEvent.path;

/** The shop's own address, as visitors and Stripe reach it. */
export async function examineAddress(config: Config, report: Report): Promise<void> {
  const [origin, ...more] = config.origins;
  // Without the setting there are two, both of this machine.
  const isSet = more.length === 0;
  const name = isSet ? `PUBLIC_URL (${origin})` : origin;
  if (!isSet && config.services)
    return report.wrong(
      'PUBLIC_URL is not set, so the shop answers at localhost alone.',
      'Set it to the address that visitors type, such as https://shop.example.',
    );
  const isHttps = origin.startsWith('https:');
  if (config.services && !isHttps && !config.loopback)
    report.wrong(
      `${name} is not https: passwords and sessions would cross the network for all to read.`,
      'Put a proxy that speaks HTTPS in front (docs/operations.md), and set PUBLIC_URL to its https address.',
    );
  // The shop speaks HTTP alone, so an https address means that a proxy stands in front.
  if (isHttps && config.trustedProxies.length === 0)
    report.wrong(
      'TRUSTED_PROXIES is not set, so all visitors are taken for one, the proxy: bounds on tries stop everybody at once.',
      'For a proxy on this machine set TRUSTED_PROXIES=127.0.0.1,::1; for another the address that it comes from.',
    );
  await examineDoor(config, name, report);
}

/**
 * Sends events of which the shop keeps nothing: an unsigned one is refused, and a signed one is of the other mode. It shows
 * that requests come through as they were sent, with our name in `Host`, and whether the shop that answers has these
 * settings.
 */
async function examineDoor(config: Config, name: string, report: Report): Promise<void> {
  const secrets = config.services?.stripe.webhookSecrets ?? [];
  for (const secret of [undefined, ...secrets]) {
    const asked = await ask(webhookOf(config), await makeEvent(config, secret));
    if ('failed' in asked) return examineSilence(config, `${name} does not answer (${asked.failed})`, report);
    const { status } = asked.response;
    const isForged = status === 400 && (await asked.response.text()).includes('urn:problem:forged');
    if (secret === undefined ? isForged : status === 200) continue;
    if (isForged)
      return report.wrong(
        `${name} is a shop that runs with another STRIPE_WEBHOOK_SECRET than these settings have.`,
        'Start it anew with these settings, or run this command with those of the shop.',
      );
    if (status === 421)
      return report.wrong(
        `${name} reaches a shop that does not know this address (421).`,
        'Let the proxy pass the Host header on as it came, and start the shop with this PUBLIC_URL.',
      );
    return report.wrong(
      `${name} answers a POST to ${webhookOf(config)} with ${status}, not as the shop does.`,
      `Let what answers there pass every path and method on to this shop, ${near(config)}, without a password of its own.`,
    );
  }
  report.ok(`${name} is this shop${config.services ? ', and knows STRIPE_WEBHOOK_SECRET' : ''}.`);
}

async function makeEvent({ services }: Config, secret: string | undefined): Promise<RequestInit> {
  const livemode = !services?.stripe.secretKey.includes('_live_');
  const body = JSON.stringify({ id: 'evt_doctor', object: 'event', type: 'doctor', livemode });
  if (!services || secret === undefined) return { method: 'POST', body };
  const { default: Stripe } = await import('stripe');
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret });
  return { method: 'POST', body, headers: { 'stripe-signature': signature } };
}

/** Nobody answers at the address: is it the way, or the shop? */
async function examineSilence(config: Config, silent: string, report: Report): Promise<void> {
  const asked = await ask(`${near(config)}/healthz`);
  if ('response' in asked && asked.response.status === 200)
    report.wrong(
      `${silent}, but the shop runs at ${near(config)}.`,
      'Look at the name (DNS), the proxy in front, its certificate, and the firewall: ports 80 and 443 must be open.',
    );
  else
    report.look(`${silent}: the shop seems not to run.`, 'Start it, and run this command again beside it.');
}

/** Where the shop itself listens, as this machine reaches it. */
function near({ host, port }: Config): string {
  const at = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${isIPv6(at) ? `[${at}]` : at}:${port}`;
}
