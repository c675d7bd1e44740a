import { isIPv6 } from 'node:net';
import { contract } from '../../../contract/contract.ts';
import { apiBase } from '../../../contract/paths.ts';
import type { Config } from '../../config/config.ts';
import { probe } from './probe.ts';
import type { Report } from './report.ts';

/** The URL of the shop's webhook. */
export const getWebhookUrl = ({ origins }: Config) => origins[0] + apiBase + contract.receiveStripeEvent.path;

/** Checks the shop's public address, as visitors and Stripe reach it. */
export async function checkAddress(config: Config, report: Report): Promise<void> {
  const [origin, ...more] = config.origins;
  // Without the setting there are two origins, both on loopback.
  const isSet = more.length === 0;
  const name = isSet ? `PUBLIC_URL (${origin})` : origin;
  if (!isSet && config.services)
    return report.error(
      'PUBLIC_URL is not set, so the shop answers at localhost alone.',
      'Set it to the address that visitors type, such as https://shop.example.',
    );
  const isHttps = origin.startsWith('https:');
  if (config.services && !isHttps && !config.loopback)
    report.error(
      `${name} is not https: passwords and sessions would cross the network for all to read.`,
      'Put a proxy that speaks HTTPS in front (docs/operations.md), and set PUBLIC_URL to its https address.',
    );
  // The shop itself only speaks HTTP, so an https address means that there is a proxy.
  if (isHttps && config.trustedProxies.length === 0)
    report.error(
      'TRUSTED_PROXIES is not set, so all visitors are taken for one, the proxy: bounds on tries stop everybody at once.',
      'For a proxy on this machine set TRUSTED_PROXIES=127.0.0.1,::1; for another the address that it comes from.',
    );
  await examineWebhookUrl(config, name, report);
}

/**
 * Sends events that the shop does not store: it rejects an unsigned one and ignores a signed one of the other mode. That
 * shows whether requests arrive unchanged, with our name in `Host`, and whether the shop there has these settings.
 */
async function examineWebhookUrl(config: Config, name: string, report: Report): Promise<void> {
  const secrets = config.services?.stripe.webhookSecrets ?? [];
  for (const secret of [undefined, ...secrets]) {
    const sent = await probe(getWebhookUrl(config), await makeEvent(config, secret));
    if ('failed' in sent) return examineSilence(config, `${name} does not answer (${sent.failed})`, report);
    const { status } = sent.response;
    const isForged = status === 400 && (await sent.response.text()).includes('urn:problem:forged');
    if (secret === undefined ? isForged : status === 200) continue;
    if (isForged)
      return report.error(
        `${name} is a shop that runs with another STRIPE_WEBHOOK_SECRET than these settings have.`,
        'Start it anew with these settings, or run this command with those of the shop.',
      );
    if (status === 421)
      return report.error(
        `${name} reaches a shop that does not know this address (421).`,
        'Let the proxy pass the Host header on as it came, and start the shop with this PUBLIC_URL.',
      );
    return report.error(
      `${name} answers a POST to ${getWebhookUrl(config)} with ${status}, not as the shop does.`,
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

/** Nothing answers at the address: finds out whether the shop is down or unreachable. */
async function examineSilence(config: Config, silent: string, report: Report): Promise<void> {
  const sent = await probe(`${near(config)}/healthz`);
  if ('response' in sent && sent.response.status === 200)
    report.error(
      `${silent}, but the shop runs at ${near(config)}.`,
      'Look at the name (DNS), the proxy in front, its certificate, and the firewall: ports 80 and 443 must be open.',
    );
  else
    report.warn(`${silent}: the shop seems not to run.`, 'Start it, and run this command again beside it.');
}

/** The address that the shop itself listens on, as seen from this machine. */
function near({ host, port }: Config): string {
  const at = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${isIPv6(at) ? `[${at}]` : at}:${port}`;
}
