import { useEffect } from 'react';
import {
  type LoaderFunctionArgs,
  redirect,
  useNavigate,
  useRevalidator,
  useSearchParams,
} from 'react-router';
import { forgotPasswordPage, signUpPage } from '../../contract/page-addresses.ts';
import { isPlainClick } from '../client/plain-click.ts';
import { readReturnPath } from '../client/route-access.ts';
import { loaderContext } from '../client/route-context.ts';
import { getSession } from '../client/session.ts';
import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Field } from '../forms/fields/field.tsx';
import { PasswordField } from '../forms/fields/password-field.tsx';
import { FormStart } from '../forms/use-page-form.tsx';
import { useSettings } from '../shop.tsx';
import { loginForm } from './sign-in/forms.ts';
import { GoogleButton } from './sign-in/google-button.tsx';
import { LoginNotices } from './sign-in/login-notices.tsx';
import { PasskeyButton } from './sign-in/passkey-button.tsx';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';
import { useSessionForm } from './sign-in/use-session-form.ts';

/** Redirects signed-in users, except non-admins who come from an admin page. */
export function loader({ context, request }: LoaderFunctionArgs) {
  const { viewer } = context.get(loaderContext);
  const { searchParams } = new URL(request.url);
  const notAdmin = searchParams.get('reason') === 'admin' && viewer?.role !== 'admin';
  if (viewer && !notAdmin) throw redirect(readReturnPath(searchParams.get('from')));
  return null;
}

const description = 'Sign in to order tools, follow your orders and write reviews.';

export function Component() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const { sendsMail } = useSettings();
  const notAdmin = search.get('reason') === 'admin';
  useSignOut(notAdmin);
  const from = search.get('from') ?? '';
  const returnPath = readReturnPath(from);
  const form = useSessionForm(loginForm);

  return (
    <SignInLayout>
      <PageHeading title="Login" description={description} />
      <p className="-mt-4 mb-6 text-soft">{description}</p>
      <LoginNotices search={search} />
      <form {...form.props}>
        <FormStart form={form} />
        <input type="hidden" name="from" value={from} />
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
              to={forgotPasswordPage}
              className="link link-alone"
              onClick={(event) => {
                if (!isPlainClick(event)) return;
                event.preventDefault();
                void navigate(forgotPasswordPage, { state: { email: form.getText('email') } });
              }}
            >
              Forgot your password?
            </Link>
          </p>
        )}
        <Button type="submit" busy={form.isBusy} className="w-full">
          Login
        </Button>
        <GoogleButton returnPath={returnPath} errorCode={form.rejected ? null : search.get('error')} />
        <PasskeyButton
          onSignedIn={async () => {
            await getSession().refresh();
            await navigate(returnPath, { replace: true });
          }}
        />
      </form>
      <SwitchFormLink question="New here?" to={signUpPage}>
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
