import { type LoaderFunctionArgs, redirect, useNavigate, useSearchParams } from 'react-router';
import { Button } from '../components/button.tsx';
import { ErrorSummary } from '../forms/error-summary.tsx';
import { Field } from '../forms/field.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PasswordField } from '../forms/password-field.tsx';
import { session } from '../client/session.ts';
import { useRefused, useShopForm } from '../forms/use-shop-form.ts';
import { visit } from '../client/visit.ts';
import { EntranceSheet } from './entrance/entrance-sheet.tsx';
import { GoogleButton } from './entrance/google-button.tsx';
import { OtherEntrance } from './entrance/other-entrance.tsx';
import { passwordHint } from './entrance/password.ts';
import { afterSignup, signupForm } from './entrance/signup.ts';

export function loader({ context, request }: LoaderFunctionArgs) {
  if (context.get(visit).viewer) throw redirect(afterSignup(new URL(request.url).searchParams));
  return null;
}

export function Component() {
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const definition = signupForm(search);
  const form = useShopForm(definition, useRefused(definition.name));
  const { isSubmitting, submitCount } = form.formState;

  const send = form.handleSubmit(async (person) => {
    try {
      await definition.send(session(), person);
      await session().refresh();
      await navigate(definition.next, { replace: true });
    } catch (error) {
      form.showRefusal(error);
    }
  });

  return (
    <EntranceSheet>
      <PageHeading title="Sign up" description="Make an account to order tools and write reviews." />
      <ErrorSummary errors={form.listErrors()} tries={submitCount} />
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
          back={definition.next}
          failed={null}
          refused={form.root}
          onRefused={(message) => form.setError('root', { message })}
        />
      </form>
      <OtherEntrance ask="You have an account?" to="/login">
        Login
      </OtherEntrance>
    </EntranceSheet>
  );
}
