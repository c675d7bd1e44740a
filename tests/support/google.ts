import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from './database.ts';
import { listenOnFreePort } from './port.ts';

export type Claims = Record<string, unknown>;

const algorithms = {
  provider: 'RS256',
  'public key': 'HS256',
  'another key': 'RS256',
  'no key': 'none',
} as const;
type Signer = keyof typeof algorithms;

const clientId = 'shop.apps.google.example';

/** How an endpoint misbehaves: no answer, a byte now and then, or a body of `endlessBytes`. */
export type Misbehaviour = 'silent' | 'dripping' | 'endless';
/** Far above any limit, but finite, so that the test ends. */
const endlessBytes = 20_000_000;

async function misbehave(outgoing: ServerResponse, how: Misbehaviour, countBytes: (bytes: number) => void) {
  if (how === 'silent') return;
  outgoing.setHeader('content-type', 'application/json');
  if (how === 'dripping') {
    const drip = setInterval(() => outgoing.write(' '), 200);
    outgoing.once('close', () => clearInterval(drip));
    return;
  }
  const chunk = Buffer.alloc(100_000, ' ');
  function* listChunks() {
    for (let sent = 0; sent < endlessBytes; sent += chunk.length) {
      countBytes(chunk.length);
      yield chunk;
    }
    yield '{}';
  }
  // The shop closes the connection before the end.
  await pipeline(listChunks, outgoing).catch(() => {});
}

/**
 * An OpenID provider that issues the tokens that a test defines. Its token endpoint accepts any code, and it has no
 * pages. A shop with its `settings` signs in with it.
 */
export async function startFakeGoogle() {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' };
  const state: {
    tokens: Claims;
    userinfo: Claims;
    requests: string[];
    misbehaviour: Partial<Record<string, Misbehaviour>>;
    bytesSent: number;
  } = { tokens: {}, userinfo: {}, requests: [], misbehaviour: {}, bytesSent: 0 };
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url?.split('?')[0] ?? '';
    state.requests.push(path);
    const how = state.misbehaviour[path];
    if (how)
      return void misbehave(outgoing, how, (bytes) => {
        state.bytesSent += bytes;
      });
    const responses: Record<string, unknown> = {
      '/.well-known/openid-configuration': {
        issuer: origin,
        authorization_endpoint: `${origin}/auth`,
        token_endpoint: `${origin}/token`,
        userinfo_endpoint: `${origin}/userinfo`,
        jwks_uri: `${origin}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
      },
      '/jwks': { keys: [jwk] },
      '/token': { access_token: 'access', token_type: 'Bearer', expires_in: 3600, ...state.tokens },
      '/userinfo': state.userinfo,
    };
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(JSON.stringify(responses[path] ?? {}));
  });
  const origin = `http://127.0.0.1:${await listenOnFreePort(server)}`;

  /** A user's claims in Google's format. */
  const claimsOf = (sub: string, email: string, nonce: string): Claims => {
    const now = Math.floor(Date.now() / 1000);
    const profile = { sub, email, email_verified: true, name: 'Ines Vale' };
    return { iss: origin, aud: clientId, azp: clientId, iat: now, exp: now + 3600, nonce, ...profile };
  };

  function signToken(claims: Claims, by: Signer = 'provider'): string {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const content = `${encode({ alg: algorithms[by], kid: 'one', typ: 'JWT' })}.${encode(claims)}`;
    return `${content}.${makeSignature(content, by).toString('base64url')}`;
  }

  function makeSignature(content: string, by: Signer): Buffer {
    if (by === 'no key') return Buffer.alloc(0);
    // The attack on verifiers that accept the public key as an HMAC secret.
    const pem = keys.publicKey.export({ type: 'spki', format: 'pem' });
    if (by === 'public key') return createHmac('sha256', pem).update(content).digest();
    const { privateKey } = by === 'provider' ? keys : generateKeyPairSync('rsa', { modulusLength: 2048 });
    return sign('sha256', Buffer.from(content), privateKey);
  }

  return {
    state,
    claimsOf,
    signToken,
    settings: {
      SHOP_CURRENCY: 'USD',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      STRIPE_API_URL: origin,
      GOOGLE_CLIENT_ID: clientId,
      GOOGLE_CLIENT_SECRET: 'secret',
      GOOGLE_DISCOVERY_URL: `${origin}/.well-known/openid-configuration`,
      DATA_DIR: makeFolder(),
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
