import type { Config } from '../config.ts';
import { authBase } from '../identity/form.ts';
import { googleDiscovery, type Services } from '../services.ts';
import { askOther } from './ask.ts';
import type { Report } from './report.ts';

/** Whether people can sign in with Google here. */
export async function examineGoogle(config: Config, { google }: Services, report: Report): Promise<void> {
  if (!google) return report.ok('Google: the sign-in with it is off.');
  if (
    google.discoveryUrl === googleDiscovery &&
    !/^[\w-]+\.apps\.googleusercontent\.com$/.test(google.clientId)
  )
    report.wrong(
      'GOOGLE_CLIENT_ID does not look like one: they end in .apps.googleusercontent.com.',
      'Copy the client ID anew: Google Cloud console, Google Auth Platform, Clients.',
    );
  const asked = await askOther('Google', google.discoveryUrl, report);
  const found = 'response' in asked && asked.response.ok ? await readDiscovery(asked.response) : undefined;
  if (found === undefined)
    report.wrong(
      `Google's discovery document cannot be had (${'failed' in asked ? asked.failed : asked.response.status}), and nobody can sign in with Google.`,
      'Let this machine reach it, see GOOGLE_DISCOVERY_URL where that is set, or set GOOGLE_SIGN_IN=off.',
    );
  else
    report.ok(
      `Google can be reached. Its client must have the redirect URI ${config.origins[0]}${authBase}/callback/google.`,
    );
}

async function readDiscovery(response: Response): Promise<string | undefined> {
  const read: unknown = await response.json().catch(() => undefined);
  if (typeof read !== 'object' || read === null || !('token_endpoint' in read)) return undefined;
  return typeof read.token_endpoint === 'string' ? read.token_endpoint : undefined;
}

/** Any answer shows that it is there: it is asked for nothing. */
export async function examineImageHost({ imageHost }: Config, report: Report): Promise<void> {
  if (!imageHost) return report.ok('Pictures: the shop keeps them itself.');
  const { host } = new URL(imageHost.url);
  const asked = await askOther(host, imageHost.url, report, { method: 'HEAD' });
  if ('response' in asked) report.ok(`Pictures: ${host} can be reached.`);
  else
    report.look(
      `Pictures: IMAGE_HOST_URL names ${host}, which cannot be reached from here (${asked.failed}).`,
      'Browsers send pictures there by themselves: try it on a page where a picture is added.',
    );
}
