import { z } from 'zod';

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
 * The profile in a verified id_token; null refuses the sign-in. Better Auth has checked the signature, `iss`, `aud`,
 * `nonce` and, if present, `exp`. This refuses what Better Auth lets through: a missing token, a missing `exp`, a token
 * issued to another party. Userinfo is never requested: nothing ties an access token to this sign-in.
 */
export function readProfile(token: string | undefined, clientId: string) {
  const claims = idToken.safeParse(decodeClaims(token)).data;
  if (!claims) return null;
  // OpenID Connect Core 1.0, 3.1.3.7, steps 4 and 5.
  const { sub, aud, azp, name } = claims;
  if (azp === undefined ? aud.length !== 1 : azp !== clientId) return null;
  // Better Auth refuses an empty address (error=email_not_found) and does not link an unverified one.
  const email = claims.email_verified ? claims.email : '';
  return { id: sub, sub, email, emailVerified: email !== '', ...(name === undefined ? {} : { name }) };
}

function decodeClaims(token: string | undefined): unknown {
  const payload = token?.split('.')[1];
  return payload ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : undefined;
}
