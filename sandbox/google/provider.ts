import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { ClientMetadata, KoaContextWithOIDC } from 'oidc-provider';
import { base, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import { renderErrorPage } from './page.ts';
import { findPerson } from './people.ts';
import { createAdapter } from './records.ts';
import { type GoogleDatabase, getOrCreateSecret } from './tables.ts';

const hourSeconds = 3600;

/** The OpenID provider, with the shop as its only client: code flow, RS256, claims in the id_token like Google's. */
export async function createOidcProvider(db: GoogleDatabase, issuer: string, client: ClientMetadata) {
  const provider = new Provider(issuer, {
    adapter: (kind) => createAdapter(db, kind),
    jwks: { keys: [JSON.parse(await getOrCreateSecret(db, 'signing key', makeSigningKey))] },
    cookies: {
      keys: [await getOrCreateSecret(db, 'cookie key', () => randomBytes(32).toString('base64url'))],
      long: { path: new URL(issuer).pathname, httpOnly: true, sameSite: 'lax' },
      // The provider sets the cookie's path, which is the path of one sign-in.
      short: { httpOnly: true, sameSite: 'lax' },
    },
    clients: [
      { ...client, grant_types: ['authorization_code'], response_types: ['code'], response_modes: ['query'] },
    ],
    routes: { userinfo: '/userinfo' },
    scopes: ['openid'],
    responseTypes: ['code'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    claims: { email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    ttl: {
      AccessToken: hourSeconds,
      AuthorizationCode: 600,
      Grant: hourSeconds,
      IdToken: hourSeconds,
      Interaction: hourSeconds,
      Session: hourSeconds,
    },
    expiresWithSession: () => false,
    clientBasedCORS: () => false,
    interactions: { policy: choicePolicy(), url: (_, { uid }) => `${issuer}/choose/${uid}` },
    loadExistingGrant: grantWithoutConsent,
    async findAccount(_, sub) {
      const person = await findPerson(db, sub);
      return person && { accountId: sub, claims: () => person };
    },
    renderError(ctx, { error, error_description }) {
      ctx.type = 'html';
      ctx.body = renderErrorPage(`${error}: ${error_description ?? ''}`, new URL(issuer).origin);
    },
  });
  // Trust the forwarded headers: `google.ts` has set them to our own origin.
  provider.proxy = true;
  return provider;
}

/** Every sign-in shows the account page, whatever `prompt` says. */
function choicePolicy() {
  const policy = base();
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);
  return policy;
}

/** Treats the shop as a first-party client, which needs no consent page. */
async function grantWithoutConsent(ctx: KoaContextWithOIDC) {
  const { client, account, provider } = ctx.oidc;
  if (!client || !account) return undefined;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}

async function makeSigningKey() {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const kid = randomBytes(16).toString('hex');
  return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' });
}
