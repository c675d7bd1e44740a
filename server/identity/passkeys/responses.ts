import { z } from 'zod';

/** A text of at most `max` characters. */
const base64Url = (max: number) =>
  z
    .string('Provide a valid passkey')
    .max(max, 'This passkey is too long')
    .regex(/^[\w-]+$/, 'Provide a valid passkey');

/** At most 1,023 bytes (WebAuthn Level 3, 4). */
const credentialId = base64Url(1364);
/** If another site embeds a page of the shop, that page may not use a passkey (WebAuthn Level 3, 7.1 and 7.2). */
const clientDataJSON = base64Url(4000).refine(
  (data) => !isCrossOrigin(data),
  'Passkeys work only on the shop’s own pages',
);

function isCrossOrigin(data: string): boolean {
  try {
    const { crossOrigin, topOrigin } = JSON.parse(Buffer.from(data, 'base64url').toString());
    return crossOrigin === true || topOrigin !== undefined;
  } catch {
    // Invalid data is rejected later.
    return false;
  }
}

const publicKeyType = z.literal('public-key', 'Provide a valid passkey');

/**
 * An attestation object without an attestation, which is what the options request: CBOR with `fmt` `none`, an empty `attStmt`,
 * and `authData`. With any other format, a user could make SimpleWebAuthn read certificates and fetch the addresses in them.
 */
const withoutAttestation = /^o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YV[g-n]/;

/** A new passkey, as a browser sends it (`RegistrationResponseJSON`). */
export const newPasskey = z.object(
  {
    id: credentialId,
    rawId: credentialId,
    type: publicKeyType,
    response: z.object({
      clientDataJSON,
      attestationObject: base64Url(6000).regex(withoutAttestation, 'This kind of passkey is not supported'),
      transports: z
        .array(z.string().regex(/^[a-z-]{1,20}$/))
        .max(10)
        .optional(),
    }),
  },
  'Provide a valid passkey',
);

/** A passkey's signature, as a browser sends it (`AuthenticationResponseJSON`). */
export const usedPasskey = z.object(
  {
    id: credentialId,
    rawId: credentialId,
    type: publicKeyType,
    response: z.object({
      clientDataJSON,
      authenticatorData: base64Url(4000),
      signature: base64Url(2000),
    }),
  },
  'Provide a valid passkey',
);
