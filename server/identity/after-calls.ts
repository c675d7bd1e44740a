import type { SessionUser } from '../http/request-context.ts';
import { passkeyPaths } from './passkeys/passkeys.ts';
import { editBody } from './responses.ts';
import { encodeQrCode } from './two-factor/qr-code.ts';

type AfterCall = (response: Response, viewer: SessionUser | undefined) => Promise<Response>;

/** Steps that follow Better Auth's successful response to a call, by the call's path. */
export const afterCalls: ReadonlyMap<string, AfterCall> = new Map<string, AfterCall>([
  [
    // Better Auth reports the account's role; pages need the session's role.
    '/get-session',
    async (response, viewer) =>
      viewer?.adminStep
        ? editBody(response, ({ user }) =>
            user instanceof Object ? { user: { ...user, role: null, adminStep: viewer.adminStep } } : {},
          )
        : response,
  ],
  [
    '/two-factor/enable',
    (response) =>
      editBody(response, async ({ totpURI }) => ({ qrCode: await encodeQrCode(String(totpURI)) })),
  ],
  [
    passkeyPaths.startSignIn,
    // Better Auth writes `preferred`, with which an authenticator may skip the user verification that the plugin requires.
    (response) => editBody(response, () => ({ userVerification: 'required' })),
  ],
]);
