import { type LoaderFunctionArgs, redirect, useNavigate, useSearchParams } from 'react-router';
import { loaderContext } from '../client/route-context.ts';
import { getSession } from '../client/session.ts';
import { Button } from '../components/button.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { ErrorSummary } from '../forms/error-summary.tsx';
import { Field } from '../forms/fields/field.tsx';
import { PasswordField } from '../forms/fields/password-field.tsx';
import { useRejectedForm, useShopForm } from '../forms/use-shop-form.ts';
import { createSignupForm, getSignupRedirect, passwordHint } from './sign-in/forms.ts';
import { GoogleButton } from './sign-in/google-button.tsx';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';

export function loader({ context, request }: LoaderFunctionArgs) {
  if (context.get(loaderContext).viewer) throw redirect(getSignupRedirect(new URL(request.url).searchParams));
  return null;
}

export function Component() {
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const definition = createSignupForm(search);
  const form = useShopForm(definition, useRejectedForm(definition.name));
  const { isSubmitting, submitCount } = form.formState;

  const send = form.handleSubmit(async (credentials) => {
    try {
      await definition.send(getSession(), credentials);
      await getSession().refresh();
      await navigate(definition.redirectTo, { replace: true, state: { isNewAccount: true } });
    } catch (error) {
      form.showError(error);
    }
  });

  return (
    <SignInLayout>
      <PageHeading title="Sign up" description="Create an account to order tools and write reviews." />
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      <form method="post" noValidate onSubmit={send}>
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
        <Button type="submit" busy={isSubmitting} className="w-full">
          Sign up
        </Button>
        <GoogleButton
          returnPath={definition.redirectTo}
          errorCode={null}
          error={form.root}
          onError={(message) => form.setError('root', { message })}
        />
      </form>
      <SwitchFormLink question="Already have an account?" to="/login">
        Login
      </SwitchFormLink>
    </SignInLayout>
  );
}
