import { type LoaderFunctionArgs, redirect, useNavigate, useSearchParams } from 'react-router';
import { loginPage } from '../../contract/page-addresses.ts';
import { loaderContext } from '../client/route-context.ts';
import { getSession } from '../client/session.ts';
import { Button } from '../components/button.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Field } from '../forms/fields/field.tsx';
import { PasswordField } from '../forms/fields/password-field.tsx';
import { FormStart, usePageForm } from '../forms/use-page-form.tsx';
import { getSignupRedirect, passwordHint, signupForm } from './sign-in/forms.ts';
import { GoogleButton } from './sign-in/google-button.tsx';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';

export function loader({ context, request }: LoaderFunctionArgs) {
  if (context.get(loaderContext).viewer)
    throw redirect(getSignupRedirect(new URL(request.url).searchParams.get('from')));
  return null;
}

const description = 'Create an account to order tools and write reviews.';

export function Component() {
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const from = search.get('from') ?? '';
  const form = usePageForm(signupForm, {
    async onDone({ nextPage }) {
      await getSession().refresh();
      await navigate(nextPage, { replace: true, state: { isNewAccount: true } });
    },
  });

  return (
    <SignInLayout>
      <PageHeading title="Sign up" description={description} />
      <p className="-mt-4 mb-6 text-soft">{description}</p>
      <form {...form.props}>
        <FormStart form={form} />
        <input type="hidden" name="from" value={from} />
        <Field label="Name" maxLength={100} autoComplete="name" enterKeyHint="next" {...form.field('name')} />
        <Field
          label="Email"
          type="email"
          autoComplete="username"
          enterKeyHint="next"
          {...form.field('email')}
        />
        <PasswordField
          label="Password"
          autoComplete="new-password"
          enterKeyHint="go"
          hint={passwordHint}
          {...form.field('password')}
        />
        <Button type="submit" busy={form.isBusy} className="w-full">
          Sign up
        </Button>
        <GoogleButton returnPath={getSignupRedirect(from)} errorCode={null} />
      </form>
      <SwitchFormLink question="Already have an account?" to={loginPage}>
        Login
      </SwitchFormLink>
    </SignInLayout>
  );
}
