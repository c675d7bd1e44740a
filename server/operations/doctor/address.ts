import { isIPv6 } from 'node:net';
import { contract } from '../../../contract/contract.ts';
import { apiBase } from '../../../contract/paths.ts';
import type { Config } from '../../config/config.ts';
import { probe, type Report } from './report.ts';

export const getWebhookUrl = ({ origins }: Config) => origins[0] + apiBase + contract.receiveStripeEvent.path;

/** Checks the shop at its public address, as visitors and Stripe reach it. */
export async function checkAddress(config: Config, report: Report): Promise<void> {
  const [origin, ...more] = config.origins;
  // Without the setting there are two origins, both on loopback.
  const isSet = more.length === 0;
  const name = isSet ? `PUBLIC_URL (${origin})` : origin;
  if (!isSet && config.services)
    return report.error(
      'PUBLIC_URL is not set, so the shop only responds at localhost.',
      'Set it to the address that visitors use, such as https://shop.example.',
    );
  const isHttps = origin.startsWith('https:');
  if (config.services && !isHttps && !config.loopback)
    report.error(
      `${name} is not https: anyone on the network could read passwords and sessions.`,
      'Put an HTTPS proxy in front of the shop (docs/operations.md), and set PUBLIC_URL to its https address.',
    );
  // The shop itself only serves HTTP, so an https address means that there is a proxy.
  if (isHttps && config.trustedProxies.length === 0)
    report.error(
      'TRUSTED_PROXIES is not set, so all visitors share the address of the proxy, and its rate limits.',
      'For a proxy on this machine, set TRUSTED_PROXIES=127.0.0.1,::1; otherwise, set it to the address of the proxy.',
    );
  await checkWebhookUrl(config, name, report);
}

/** Sends events that the shop does not store: it rejects an unsigned event, and ignores a signed event of the other mode. */
async function checkWebhookUrl(config: Config, name: string, report: Report): Promise<void> {
  const secrets = config.services?.stripe.webhookSecrets ?? [];
  for (const secret of [undefined, ...secrets]) {
    const sent = await probe(getWebhookUrl(config), await makeEvent(config, secret));
    if ('failed' in sent) return explainSilence(config, `${name} does not respond (${sent.failed})`, report);
    const { status } = sent.value;
    const isForged = status === 400 && (await sent.value.text()).includes('urn:problem:forged');
    if (secret === undefined ? isForged : status === 200) continue;
    if (isForged)
      return report.error(
        `The shop at ${name} runs with another STRIPE_WEBHOOK_SECRET.`,
        'Restart it with these settings, or run this command with its settings.',
      );
    if (status === 421)
      return report.error(
        `${name} reaches a shop that does not know this address (421).`,
        'Make the proxy forward the original Host header, and start the shop with this PUBLIC_URL.',
      );
    return report.error(
      `${name} responds to POST ${getWebhookUrl(config)} with ${status}, unlike this shop.`,
      `Make the server there forward every path and method to this shop, ${getLocalUrl(config)}, without its own password.`,
    );
  }
  report.ok(`${name} is this shop${config.services ? ' and has this STRIPE_WEBHOOK_SECRET' : ''}.`);
}

async function makeEvent({ services, mode }: Config, secret: string | undefined): Promise<RequestInit> {
  const livemode = mode !== 'live';
  const body = JSON.stringify({ id: 'evt_doctor', object: 'event', type: 'doctor', livemode });
  if (!services || secret === undefined) return { method: 'POST', body };
  const { default: Stripe } = await import('stripe');
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret });
  return { method: 'POST', body, headers: { 'stripe-signature': signature } };
}

/** Finds out whether the shop is down or unreachable. */
async function explainSilence(config: Config, problem: string, report: Report): Promise<void> {
  const sent = await probe(`${getLocalUrl(config)}/healthz`);
  if ('value' in sent && sent.value.status === 200)
    report.error(
      `${problem}, but the shop runs at ${getLocalUrl(config)}.`,
      'Check the DNS record, the proxy, its certificate and the firewall: ports 80 and 443 must be open.',
    );
  else report.warn(`${problem}: the shop does not seem to run.`, 'Start it, and run this command again.');
}

function getLocalUrl({ host, port }: Config): string {
  const at = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${isIPv6(at) ? `[${at}]` : at}:${port}`;
}
