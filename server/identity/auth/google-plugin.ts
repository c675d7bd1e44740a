import type { GenericEndpointContext } from 'better-auth';
import { getOAuthState, getSessionFromCtx } from 'better-auth/api';
import { genericOAuth } from 'better-auth/plugins';
import { z } from 'zod';
import type { Services } from '../../config/services.ts';
import type { Database } from '../../database/database.ts';
import { lockUser } from '../session-endings.ts';

/** Signs in with Google, if it is on. */
export const createGooglePlugin = (google: Services['google']) =>
  genericOAuth({
    config: google
      ? [
          {
            providerId: 'google',
            ...google,
            requireIdTokenVerification: true,
            scopes: ['openid', 'email', 'profile'],
            pkce: true,
            prompt: 'select_account',
            getUserInfo: async ({ idToken }) => readProfile(idToken, google.clientId),
          },
        ]
      : [],
  });

const idToken = z.object({
  sub: z.string().min(1),
  aud: z.union([z.string().transform((audience) => [audience]), z.array(z.string())]),
  azp: z.string().optional(),
  exp: z.number(),
  nonce: z.string().min(1),
  email: z.string().default(''),
  email_verified: z.boolean().default(false),
  name: z.string().optional(),
});

/**
 * The profile in a verified id_token; null rejects the sign-in. Better Auth has checked the signature, `iss`, `aud`,
 * `nonce` and, if present, `exp`. This rejects what Better Auth lets through: a missing token, a missing `exp`, a token
 * issued to another party. Userinfo is never requested: nothing ties an access token to this sign-in.
 */
function readProfile(token: string | undefined, clientId: string) {
  const payload = token?.split('.')[1];
  const claims = payload && idToken.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString())).data;
  if (!claims) return null;
  // OpenID Connect Core 1.0, 3.1.3.7, steps 4 and 5.
  const { sub, aud, azp, name } = claims;
  if (azp === undefined ? aud.length !== 1 : azp !== clientId) return null;
  // Better Auth rejects an empty address (error=email_not_found) and does not link an unverified one.
  const email = claims.email_verified ? claims.email : '';
  return { id: sub, sub, email, emailVerified: email !== '', ...(name === undefined ? {} : { name }) };
}

/** The account that this request links to Google; undefined if it is a sign-in. */
const readLink = async () => (await getOAuthState())?.link;

/** Whether the session that started to link Google has ended: an intruder could otherwise finish after a password reset. */
export async function isLinkOutdated(context: GenericEndpointContext | null): Promise<boolean> {
  const link = await readLink();
  const session = link && context && (await getSessionFromCtx(context));
  return link !== undefined && session?.user.id !== link.userId;
}

/** Removes a Google account that was just linked if the session has ended in the meantime, and redirects to the login page. */
export async function removeOutdatedLink(
  database: Database,
  { id, userId }: { id: string; userId: string },
  context: GenericEndpointContext | null,
): Promise<void> {
  if (!context || !(await readLink())) return;
  const isOutdated = await database.transaction(async (tx) => {
    await lockUser(database, tx, userId);
    const session = tx
      .selectFrom('session')
      .select('id')
      .where('id', '=', context.context.session?.session.id ?? '');
    if (await session.executeTakeFirst()) return false;
    await tx.deleteFrom('account').where('id', '=', id).execute();
    return true;
  });
  if (isOutdated) throw context.redirect('/login?error=unable_to_link_account');
}
