import type { BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware } from 'better-auth/api';

/**
 * Passes the address that `calls.ts` has checked to sign-up and sign-in. Better Auth's own pattern rejects top-level domains in
 * Punycode, such as `xn--p1ai`, and cannot be replaced, so Better Auth checks a stand-in instead.
 */
export const addressPlugin = {
  id: 'address',
  hooks: {
    before: [
      {
        matcher: ({ path }) => path === '/sign-up/email' || path === '/sign-in/email',
        handler: createAuthMiddleware(async ({ body, context: { internalAdapter } }) => {
          const { email } = body;
          const adapter: Partial<typeof internalAdapter> = {
            findUserByEmail: (_standIn, options) => internalAdapter.findUserByEmail(email, options),
            createUser: (user, ...rest) => internalAdapter.createUser({ ...user, email }, ...rest),
          };
          return { context: { body: { ...body, email: standIn }, context: { internalAdapter: adapter } } };
        }),
      },
    ],
  },
} satisfies BetterAuthPlugin;

const standIn = 'checked@mail.invalid';
