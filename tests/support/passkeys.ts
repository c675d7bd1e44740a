import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { expect } from 'vitest';
import { cookieHeaders, readSetCookies, sendAuthRequest, type TestUser } from './requests.ts';
import type { TestShop } from './shop.ts';

const [userPresent, userVerified, newCredential] = [1, 4, 64];

const hash = (data: string | Buffer) => createHash('sha256').update(data).digest();

type Device = ReturnType<typeof createDevice>;

type DeviceOptions = { verifiesUser?: boolean; id?: Buffer; sentId?: Buffer; counter?: number };

/**
 * A software authenticator with one ES256 credential, like one on a phone or in a password manager. Its signature counter
 * starts at `counter`; the browser sends `sentId` as the credential's id.
 */
export function createDevice({
  verifiesUser = true,
  id = randomBytes(16),
  sentId = id,
  counter = 0,
}: DeviceOptions = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  let uses = counter;
  let embedding: object = { crossOrigin: false };

  const writeData = (rpId: string, isVerified: boolean, moreFlags = 0) => {
    const flags = userPresent | (isVerified ? userVerified : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(uses++);
    return Buffer.concat([hash(rpId), Buffer.from([flags | moreFlags]), count]);
  };
  const writeClientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type: `webauthn.${type}`, challenge, origin, ...embedding }));
  const credential = {
    id: sentId.toString('base64url'),
    rawId: sentId.toString('base64url'),
    type: 'public-key',
  };

  return {
    id: credential.id,
    /** Sets what the browser reports from then on about a page that embeds the shop's. */
    embed(fields: { crossOrigin: boolean; topOrigin?: string }) {
      embedding = fields;
    },
    /** The result of the browser's `navigator.credentials.create`. `prefix` starts the attestation. */
    create(
      challenge: string,
      origin: string,
      prefix = 'a363666d74646e6f6e656761747453746d74a068617574684461746158',
    ) {
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const length = Buffer.from([0, id.length]);
      const data = Buffer.concat([
        writeData(new URL(origin).hostname, verifiesUser, newCredential),
        Buffer.alloc(16),
        length,
        id,
        key,
      ]);
      const attestation = Buffer.concat([Buffer.from(prefix, 'hex'), Buffer.from([data.length]), data]);
      return {
        ...credential,
        response: {
          clientDataJSON: writeClientData('create', challenge, origin).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal', 'hybrid'],
        },
      };
    },
    /** The result of the browser's `navigator.credentials.get`. */
    get(challenge: string, origin: string, isVerified = verifiesUser) {
      const data = writeData(new URL(origin).hostname, isVerified);
      const clientData = writeClientData('get', challenge, origin);
      const signature = sign('sha256', Buffer.concat([data, hash(clientData)]), privateKey);
      return {
        ...credential,
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      };
    },
  };
}

/** Requests a challenge. Returns it with the cookies for the response to it: the user's and the challenge's. */
export async function startPasskey(
  shop: TestShop,
  step: 'register' | 'authenticate',
  person?: TestUser,
): Promise<{ challenge: string; headers: { cookie: string } }> {
  const response = await sendAuthRequest(
    shop,
    `/passkey/generate-${step}-options`,
    step === 'register' ? { password: person?.password } : {},
    person && cookieHeaders(person),
  );
  expect(response.status).toBe(200);
  const { challenge }: { challenge: string } = await response.json();
  return { challenge, headers: { cookie: joinCookies(person?.cookie, readSetCookies(response)) } };
}

const joinCookies = (...cookies: (string | undefined)[]) => cookies.filter(Boolean).join('; ');

/** Adds a passkey with the user's password. */
export async function addPasskey(
  shop: TestShop,
  person: TestUser,
  device: Device = createDevice(),
  name = 'Phone',
): Promise<Response> {
  const { challenge, headers } = await startPasskey(shop, 'register', person);
  const response = device.create(challenge, shop.origin);
  return sendAuthRequest(shop, '/passkey/verify-registration', { name, response }, headers);
}

/** Signs in with a passkey, in a browser that holds `cookie`. */
export async function signInWith(shop: TestShop, device: Device, person?: TestUser): Promise<Response> {
  const { challenge, headers } = await startPasskey(shop, 'authenticate', person);
  const response = device.get(challenge, shop.origin);
  return sendAuthRequest(shop, '/passkey/verify-authentication', { response }, headers);
}
