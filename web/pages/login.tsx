import { useEffect } from 'react';
import {
  type LoaderFunctionArgs,
  redirect,
  useNavigate,
  useRevalidator,
  useSearchParams,
} from 'react-router';
import { z } from 'zod';
import { typedEmail } from '../../contract/fields.ts';
import { isPlainClick } from '../client/plain-click.ts';
import { readReturnPath } from '../client/route-access.ts';
import { loaderContext } from '../client/route-context.ts';
import { getSession } from '../client/session.ts';
import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { ErrorSummary } from '../forms/error-summary.tsx';
import { Field } from '../forms/fields/field.tsx';
import { PasswordField } from '../forms/fields/password-field.tsx';
import { validateWith } from '../forms/form-validation.ts';
import type { ShopForm } from '../forms/shop-form.ts';
import { useRejectedForm, useShopForm } from '../forms/use-shop-form.ts';
import { useSettings } from '../shop.tsx';
import { password } from './sign-in/forms.ts';
import { GoogleButton } from './sign-in/google-button.tsx';
import { LoginNotices } from './sign-in/login-notices.tsx';
import { PasskeyButton } from './sign-in/passkey-button.tsx';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';

const loginSchema = z.object({ email: typedEmail, password });

/** Signs in with the password, then continues to the path in `?from=` or, with two-factor sign-in, to the second step. */
export const createLoginForm = (
  search: URLSearchParams,
): ShopForm<z.infer<typeof loginSchema>> & { findNextPage: (response: unknown) => string | undefined } => ({
  name: 'login',
  fields: ['email', 'password'],
  secretFields: ['password'],
  validate: validateWith(loginSchema),
  send: ({ callIdentity }, credentials) => callIdentity('/sign-in/email', credentials),
  redirectTo: readReturnPath(search),
  findNextPage: (response) =>
    response instanceof Object && 'twoFactorRedirect' in response
      ? `/login/code?from=${encodeURIComponent(readReturnPath(search))}`
      : undefined,
});

/** Redirects signed-in users, except non-admins who come from an admin page. */
export function loader({ context, request }: LoaderFunctionArgs) {
  const { viewer } = context.get(loaderContext);
  const { searchParams } = new URL(request.url);
  const notAdmin = searchParams.get('reason') === 'admin' && viewer?.role !== 'admin';
  if (viewer && !notAdmin) throw redirect(readReturnPath(searchParams));
  return null;
}

export function Component() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const { sendsMail } = useSettings();
  const notAdmin = search.get('reason') === 'admin';
  useSignOut(notAdmin);
  const definition = createLoginForm(search);
  const form = useShopForm(definition, useRejectedForm(definition.name));
  const { isSubmitting, submitCount } = form.formState;

  const send = form.handleSubmit(async (credentials) => {
    try {
      const response = await definition.send(getSession(), credentials);
      await getSession().refresh();
      await navigate(definition.findNextPage(response) ?? definition.redirectTo, { replace: true });
    } catch (error) {
      form.showError(error);
    }
  });

  return (
    <SignInLayout>
      <PageHeading
        title="Login"
        description="Sign in to order tools, follow your orders and write reviews."
      />
      <LoginNotices search={search} />
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      <form method="post" noValidate onSubmit={send}>
        <Field
          label="Email"
          type="email"
          autoComplete="username"
          enterKeyHint="next"
          {...form.field('email')}
        />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          enterKeyHint="go"
          {...form.field('password')}
        />
        {sendsMail && (
          <p className="-mt-3 mb-6 text-sm">
            <Link
              to="/forgot-password"
              className="link link-alone"
              onClick={(event) => {
                if (!isPlainClick(event)) return;
                event.preventDefault();
                void navigate('/forgot-password', { state: { email: form.getValues('email') } });
              }}
            >
              Forgot your password?
            </Link>
          </p>
        )}
        <Button type="submit" busy={isSubmitting} className="w-full">
          Login
        </Button>
        <GoogleButton
          returnPath={definition.redirectTo}
          errorCode={search.get('error')}
          error={form.root}
          onError={(message) => form.setError('root', { message })}
        />
        <PasskeyButton
          onSignedIn={async () => {
            await getSession().refresh();
            await navigate(definition.redirectTo, { replace: true });
          }}
        />
      </form>
      <SwitchFormLink question="New here?" to="/signup">
        Create an account
      </SwitchFormLink>
    </SignInLayout>
  );
}

/** Signs out a non-admin who tried to open an admin page, as specified. */
function useSignOut(enabled: boolean) {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!enabled || !getSession().viewer()) return;
    void getSession()
      .signOut()
      .then(revalidate)
      // If this fails, the next attempt signs out again.
      .catch(() => {});
  }, [enabled, revalidate]);
}
