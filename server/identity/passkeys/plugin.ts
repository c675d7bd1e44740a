import { AsyncLocalStorage } from 'node:async_hooks';
import { passkey } from '@better-auth/passkey';
import { APIError, type GenericEndpointContext, getCurrentAdapter } from 'better-auth';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { addMailWith } from '../auth/outbox-plugin.ts';
import { runInTransaction } from '../auth/shared-transaction.ts';
import type { Auth } from '../auth.ts';
import { passkeyCookie } from '../credentials.ts';
import { readErrorCode } from '../responses.ts';
import { endAccess } from '../session-endings.ts';
import { maxPasskeysPerUser, passkeyPaths, tooManyPasskeys } from './passkeys.ts';

type Registration = { credential: { id: string }; userVerified: boolean };

/** A call that verifies a passkey. */
const verifications = new AsyncLocalStorage<{ isVerified: boolean }>();

/**
 * Better Auth's plugin, with a stricter check. On its own, the plugin accepts passkeys that did not verify their user, so a stolen
 * security key would be enough to sign in. Here, each use requires the fingerprint, face or PIN, so a passkey counts as both
 * factors.
 */
export function createPasskeyPlugin(config: Config) {
  /** Runs in the transaction of `verifyPasskey`, before the passkey is inserted. */
  async function checkNewPasskey(
    ctx: GenericEndpointContext,
    userId: string,
    { credential, userVerified }: Registration,
    sentId: string,
  ): Promise<void> {
    requireVerifiedUser({ userVerified });
    const adapter = await getCurrentAdapter(ctx.context.adapter);
    // This update waits for transactions that end the sessions (`lockUser`) or add a passkey.
    const update = { updatedAt: new Date() };
    await adapter.update({ model: 'user', where: [{ field: 'id', value: userId }], update });
    const { session, user } = ctx.context.session ?? {};
    const where = [{ field: 'id', value: session?.id ?? '' }];
    // Otherwise an intruder could get in again after the owner has reset the password.
    if (!user || !(await adapter.findOne({ model: 'session', where })))
      throw new APIError('UNAUTHORIZED', { code: 'SESSION_REQUIRED', message: 'Sign in and try again.' });
    const isStored = [{ field: 'credentialID', value: credential.id }];
    // `sentId` has been checked. The id that the authenticator reports may have any length.
    if (sentId !== credential.id || (await adapter.findOne({ model: 'passkey', where: isStored })))
      throw new APIError('BAD_REQUEST', invalidPasskey);
    const count = await adapter.count({ model: 'passkey', where: [{ field: 'userId', value: userId }] });
    if (count >= maxPasskeysPerUser)
      throw new APIError('CONFLICT', { code: 'TOO_MANY_PASSKEYS', message: tooManyPasskeys });
    if (config.sendsMail)
      await addMailWith(ctx, { kind: 'passkey added', recipient: user.email, about: userId });
  }

  return passkey({
    // Of two local origins, browsers accept passkeys only for localhost.
    rpID: new URL(config.origins[0]).hostname,
    rpName: config.shopDetails.name,
    origin: config.origins,
    // Signing in starts without an email address, so the authenticator must list its passkeys.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    advanced: { webAuthnChallengeCookie: passkeyCookie },
    registration: {
      async afterVerification({ ctx, user, clientData, verification: { registrationInfo } }) {
        markVerified();
        if (registrationInfo) await checkNewPasskey(ctx, user.id, registrationInfo, clientData.id);
      },
    },
    authentication: {
      afterVerification({ verification: { authenticationInfo } }) {
        markVerified();
        requireVerifiedUser(authenticationInfo);
      },
    },
  });
}

function markVerified(): void {
  const verification = verifications.getStore();
  if (verification) verification.isVerified = true;
}

function requireVerifiedUser({ userVerified }: { userVerified: boolean }): void {
  if (userVerified) return;
  const message = 'Your device did not verify that it’s you. Set up a screen lock or a PIN, and try again.';
  throw new APIError('UNAUTHORIZED', { code: 'USER_NOT_VERIFIED', message });
}

const invalidPasskey = {
  code: 'FAILED_TO_VERIFY_REGISTRATION',
  message: 'The passkey could not be added. Try again.',
};

/** Rolls back the transaction in which a passkey is added. */
const failedLater = new Error('a passkey call failed after the verification');

/**
 * The second step of adding a passkey or of signing in with one. Adding a passkey ends older access in the same transaction.
 * Better Auth responds with 400 or 500 both to an invalid passkey and to a failure after its verification. Here, an invalid
 * passkey is always a 400, and a later failure always a 500.
 */
export async function verifyPasskey(
  auth: Auth,
  database: Database,
  request: Request,
  { name, viewer }: { name: string; viewer: SessionUser | undefined },
): Promise<Response> {
  const verification = { isVerified: false };
  const verify = async (send: () => Promise<Response>) => {
    const response = await verifications.run(verification, send);
    if (!verification.isVerified)
      return response.status === 500 ? Response.json(invalidPasskey, { status: 400 }) : response;
    if (response.status !== 500 && (await readErrorCode(response)) !== 'AUTHENTICATION_FAILED')
      return response;
    throw failedLater;
  };
  const addPasskey = (user: SessionUser) =>
    database.transaction(async (tx) => {
      const response = await runInTransaction(auth, database, tx, () =>
        verify(() => sendNewPasskey(auth, request)),
      );
      if (response.ok) await endAccess(database, tx, user.id, user.session);
      return response;
    });
  const verifying =
    name === passkeyPaths.finishNew && viewer ? addPasskey(viewer) : verify(() => auth.handler(request));
  return verifying.catch(async (error: unknown) => {
    if (error === failedLater) {
      // Another account may have added the same passkey since the check. Otherwise, routes.ts logs the failure.
      const isDuplicate = name === passkeyPaths.finishNew && (await isStored(database, request));
      return isDuplicate
        ? Response.json(invalidPasskey, { status: 400 })
        : Response.json({ code: 'FAILED_AFTER_VERIFICATION' }, { status: 500 });
    }
    // Better Auth parses the challenge, which may belong to another step of signing in.
    if (!(error instanceof SyntaxError)) throw error;
    return Response.json({ code: 'CHALLENGE_NOT_FOUND', message: '' }, { status: 400 });
  });
}

async function isStored({ db }: Database, request: Request): Promise<boolean> {
  const { response }: { response: { id: string } } = await request.clone().json();
  const stored = db.selectFrom('passkey').select('id').where('credentialID', '=', response.id);
  return (await stored.executeTakeFirst()) !== undefined;
}

/** Does what `auth.handler` does, but within the transaction. */
async function sendNewPasskey(auth: Auth, request: Request): Promise<Response> {
  const body: { name: string; response: unknown } = await request.clone().json();
  return auth.api.verifyPasskeyRegistration({ body, headers: request.headers, request, asResponse: true });
}
