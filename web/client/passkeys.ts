import { IdentityError } from './api/identity.ts';
import { getSession } from './session.ts';

const unsupported = 'This browser does not support passkeys. Update it, or use another one.';

/** Signs in with a passkey of this device. Throws `IdentityError`. */
export async function signInWithPasskey(): Promise<void> {
  requireSupport();
  const { callIdentity } = getSession();
  const options = await callIdentity('/passkey/generate-authenticate-options', {});
  if (!isRequest(options)) throw new IdentityError('Something went wrong. Reload the page and try again.');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey }).catch(explainFailure);
  await callIdentity('/passkey/verify-authentication', { response: toResponse(credential) });
}

/** Creates a passkey on this device and adds it to the account. Throws `IdentityError`. */
export async function createPasskey(name: string, password: string): Promise<void> {
  requireSupport();
  const { callIdentity } = getSession();
  const options = await callIdentity(
    '/passkey/generate-register-options',
    password === '' ? {} : { password },
  );
  if (!isCreation(options)) throw new IdentityError('Something went wrong. Reload the page and try again.');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey }).catch(explainFailure);
  await callIdentity('/passkey/verify-registration', { name, response: toResponse(credential) });
}

function requireSupport(): void {
  // Insecure pages have no passkeys. Some browsers with passkeys lack the newer conversions from JSON.
  if (typeof PublicKeyCredential !== 'function' || !('parseCreationOptionsFromJSON' in PublicKeyCredential))
    throw new IdentityError(unsupported);
}

const isRequest = (options: unknown): options is PublicKeyCredentialRequestOptionsJSON =>
  options instanceof Object && 'challenge' in options;
const isCreation = (options: unknown): options is PublicKeyCredentialCreationOptionsJSON =>
  options instanceof Object && 'challenge' in options && 'user' in options;

/** The fields that the server needs. */
function toResponse(credential: Credential | null): object {
  if (!(credential instanceof PublicKeyCredential)) throw new IdentityError(unsupported);
  const { id, rawId, type, response } = credential.toJSON();
  return { id, rawId, type, response };
}

/** Browsers do not say whether the user cancelled or has no passkey here. */
function explainFailure(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  throw new IdentityError(
    name === 'InvalidStateError'
      ? 'This device already has a passkey for your account.'
      : name === 'SecurityError'
        ? 'Passkeys do not work at this web address. Open the shop at its main address and try again.'
        : 'The request for your passkey was cancelled or took too long, or this device has no matching passkey.',
  );
}
