import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth';
import { getOAuthState, getSessionFromCtx } from 'better-auth/api';
import {
  authorizationCodeRequest,
  createAuthorizationURL,
  getOAuth2Tokens,
  type OAuthProvider,
  verifyProviderIdToken,
} from 'better-auth/oauth2';
import { createRemoteJWKSet, customFetch, decodeJwt } from 'jose';
import { z } from 'zod';
import { email } from '../../../contract/fields.ts';
import { loginPage } from '../../../contract/page-addresses.ts';
import type { Database } from '../../database/database.ts';
import { fetchFromGoogle, type Google } from '../google.ts';
import { endAccess, lockUser } from '../session-endings.ts';

/** Offers sign-in with Google if `google` is set. */
export const createGooglePlugin = (google: Google | undefined) =>
  ({
    id: 'google',
    init: ({ socialProviders }) => ({
      context: {
        socialProviders: google ? [createGoogleProvider(google), ...socialProviders] : socialProviders,
      },
    }),
  }) satisfies BetterAuthPlugin;

/**
 * Our own provider, because Better Auth's generic one sends requests without a timeout or a limit on the response, and offers
 * no way to replace all of them.
 */
function createGoogleProvider({ clientId, clientSecret, ...server }: Google): OAuthProvider<Profile> {
  const options = { clientId, clientSecret };
  const provider: OAuthProvider<Profile> = {
    id: 'google',
    name: 'Google',
    issuer: server.issuer,
    options,
    accountSubject: ({ profile }) => profile.sub,
    requiresIdTokenNonce: true,
    idToken: {
      jwks: createRemoteJWKSet(new URL(server.jwks_uri), { [customFetch]: fetchFromGoogle }),
      issuer: server.issuer,
      audience: clientId,
      algorithms: server.id_token_signing_alg_values_supported,
    },
    createAuthorizationURL: ({ state, codeVerifier, redirectURI, idTokenNonce }) =>
      createAuthorizationURL({
        id: 'google',
        options,
        authorizationEndpoint: server.authorization_endpoint,
        scopes: ['openid', 'email', 'profile'],
        prompt: 'select_account',
        state,
        codeVerifier,
        redirectURI,
        ...(idTokenNonce ? { nonce: idTokenNonce } : {}),
      }),
    async validateAuthorizationCode({ code, codeVerifier, redirectURI }) {
      const { body, headers } = await authorizationCodeRequest({ code, codeVerifier, redirectURI, options });
      const response = await fetchFromGoogle(server.token_endpoint, { method: 'POST', body, headers });
      // Better Auth then rejects the code, without logging an error: anybody can send a wrong or used one.
      if (response.status === 400 && isWrongCode(await response.json().catch(() => undefined))) return null;
      if (!response.ok) throw new Error(`the token endpoint responded with ${response.status}`);
      return getOAuth2Tokens({ id_token: tokenResponse.parse(await response.json()).id_token });
    },
    async getUserInfo({ idToken, expectedIdTokenNonce }) {
      if (!idToken || !(await verifyProviderIdToken(provider, idToken, expectedIdTokenNonce))) return null;
      const profile = readProfile(idToken, clientId);
      return profile && { user: { ...profile.user }, data: profile };
    },
  };
  return provider;
}

/** The only part that the shop uses. It never requests userinfo, because nothing ties an access token to this sign-in. */
const tokenResponse = z.object({ id_token: z.string().optional() });

/** RFC 6749, 5.2. */
const isWrongCode = (body: unknown): boolean =>
  z.object({ error: z.literal('invalid_grant') }).safeParse(body).success;

const idTokenClaims = z.object({
  // OpenID Connect Core 1.0, 2: at most 255 ASCII characters.
  sub: z.string().regex(/^[!-~]{1,255}$/),
  aud: z.union([z.string().transform((audience) => [audience]), z.array(z.string())]),
  azp: z.string().optional(),
  exp: z.number(),
  nonce: z.string().min(1),
  // As in a sign-up. Better Auth rejects an empty address (error=email_not_found).
  email: email.catch(''),
  email_verified: z.boolean().default(false),
  name: z.string().optional(),
});

type Profile = { sub: string; user: { email: string; emailVerified: boolean; name?: string } };

/**
 * The profile in a verified id_token; null rejects the sign-in. Better Auth has checked the signature, `iss`, `aud`,
 * `nonce` and, if present, `exp`. This rejects what Better Auth lets through: a missing `exp`, a token issued to another
 * party, and a subject or address that breaks the shop's rules.
 */
function readProfile(token: string, clientId: string): Profile | null {
  const claims = idTokenClaims.safeParse(decodeJwt(token)).data;
  if (!claims) return null;
  // OpenID Connect Core 1.0, 3.1.3.7, steps 4 and 5.
  const { sub, aud, azp, name } = claims;
  if (azp === undefined ? aud.length !== 1 : azp !== clientId) return null;
  // Better Auth does not link an unverified address, either.
  const address = claims.email_verified ? claims.email : '';
  return {
    sub,
    user: { email: address, emailVerified: address !== '', ...(name === undefined ? {} : { name }) },
  };
}

/** The account that this request links to Google; undefined if it is a sign-in. */
const readLink = async () => (await getOAuthState())?.link;

/** Whether the session that started to link Google has ended: an intruder could otherwise finish after a password reset. */
export async function isLinkOutdated(context: GenericEndpointContext | null): Promise<boolean> {
  const link = await readLink();
  const session = link && context && (await getSessionFromCtx(context));
  return link !== undefined && session?.user.id !== link.userId;
}

/**
 * Ends a user's other sessions after they have linked Google. If the session that linked it has ended in the meantime, removes the
 * link instead, and redirects to the login page.
 */
export async function completeLink(
  database: Database,
  { id, userId }: { id: string; userId: string },
  context: GenericEndpointContext | null,
): Promise<void> {
  if (!context || !(await readLink())) return;
  const isOutdated = await database.transaction(async (tx) => {
    await lockUser(database, tx, userId);
    const linkingSession = context.context.session?.session.id ?? '';
    const session = tx.selectFrom('session').select('id').where('id', '=', linkingSession);
    if (await session.executeTakeFirst()) {
      await endAccess(database, tx, userId, linkingSession);
      return false;
    }
    await tx.deleteFrom('account').where('id', '=', id).execute();
    return true;
  });
  if (isOutdated) throw context.redirect(`${loginPage}?error=unable_to_link_account`);
}
