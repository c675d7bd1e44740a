import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { ClientMetadata, KoaContextWithOIDC } from 'oidc-provider';
import { base, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import { errorPage } from './page.ts';
import { findPerson } from './people.ts';
import { createAdapter } from './records.ts';
import { type GoogleDatabase, getOrCreateSecret } from './tables.ts';

const HOUR = 3600;

/** The OpenID provider itself, for the shop as its one client: code flow, RS256, claims in the id_token as Google's. */
export async function createOidcProvider(db: GoogleDatabase, issuer: string, client: ClientMetadata) {
  const provider = new Provider(issuer, {
    adapter: (kind) => createAdapter(db, kind),
    jwks: { keys: [JSON.parse(await getOrCreateSecret(db, 'signing key', makeSigningKey))] },
    cookies: {
      keys: [await getOrCreateSecret(db, 'cookie key', () => randomBytes(32).toString('base64url'))],
      long: { path: new URL(issuer).pathname, httpOnly: true, sameSite: 'lax' },
      // These get the path of the one sign-in that they belong to.
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
      AccessToken: HOUR,
      AuthorizationCode: 600,
      Grant: HOUR,
      IdToken: HOUR,
      Interaction: HOUR,
      Session: HOUR,
    },
    expiresWithSession: () => false,
    clientBasedCORS: () => false,
    interactions: { policy: choicePolicy(), url: (_, { uid }) => `${issuer}/choose/${uid}` },
    loadExistingGrant: grantAtOnce,
    async findAccount(_, sub) {
      const person = await findPerson(db, sub);
      return person && { accountId: sub, claims: () => person };
    },
    renderError(ctx, { error, error_description }) {
      ctx.type = 'html';
      ctx.body = errorPage(`${error}: ${error_description ?? ''}`, new URL(issuer).origin);
    },
  });
  // Addresses are made from the headers, which the listener has set to our own origin.
  provider.proxy = true;
  return provider;
}

/** Everybody is asked who they are, every time, whatever `prompt` says. */
function choicePolicy() {
  const policy = base();
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);
  return policy;
}

/** The shop counts as Google's own here: nobody is asked for consent. */
async function grantAtOnce(ctx: KoaContextWithOIDC) {
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
