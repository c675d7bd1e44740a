import { useForm } from 'react-hook-form';
import { type LoaderFunctionArgs, redirect, useNavigate } from 'react-router';
import { z } from 'zod';
import { email, text } from '../../contract/fields.ts';
import { Button } from '../components/button.tsx';
import { ErrorSummary } from '../components/error-summary.tsx';
import { Field } from '../components/field.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { sayWhy } from '../failure.ts';
import { bySchema } from '../form.ts';
import { listErrors } from '../form-errors.ts';
import { signUp } from '../identity.ts';
import { session } from '../session.ts';
import { visit } from '../visit.ts';
import { EntranceSheet } from './entrance/entrance-sheet.tsx';
import { GoogleButton } from './entrance/google-button.tsx';
import { OtherEntrance } from './entrance/other-entrance.tsx';
import { password, passwordHint } from './entrance/password.ts';

const schema = z.object({ name: text('Name', 100), email, password });
const afterwards = '/products';

export function loader({ context }: LoaderFunctionArgs) {
  if (context.get(visit).viewer) throw redirect(afterwards);
  return null;
}

export function Component() {
  const navigate = useNavigate();
  const form = useForm({
    resolver: bySchema(schema),
    defaultValues: { name: '', email: '', password: '' },
    shouldFocusError: false,
  });
  const { errors, isSubmitting, submitCount } = form.formState;

  const send = form.handleSubmit(async (values) => {
    try {
      await signUp(values);
      await session().refresh();
      await navigate(afterwards, { replace: true });
    } catch (error) {
      form.setError('root', { message: sayWhy(error) });
    }
  });

  return (
    <EntranceSheet>
      <PageHeading title="Sign up" description="Make an account to order tools and write reviews." />
      <ErrorSummary errors={listErrors(errors, ['name', 'email', 'password'])} tries={submitCount} />
      <form method="post" noValidate onSubmit={send}>
        <Field
          label="Name"
          maxLength={100}
          autoComplete="name"
          enterKeyHint="next"
          error={errors.name?.message}
          {...form.register('name')}
        />
        <Field
          label="Email"
          type="email"
          autoComplete="username"
          enterKeyHint="next"
          error={errors.email?.message}
          {...form.register('email')}
        />
        <PasswordField
          label="Password"
          autoComplete="new-password"
          enterKeyHint="go"
          hint={passwordHint}
          error={errors.password?.message}
          {...form.register('password')}
        />
        <Button type="submit" busy={isSubmitting} className="w-full">
          Sign up
        </Button>
        <GoogleButton
          back={afterwards}
          failed={null}
          refused={errors.root?.message}
          onRefused={(message) => form.setError('root', { message })}
        />
      </form>
      <OtherEntrance ask="You have an account?" to="/login">
        Login
      </OtherEntrance>
    </EntranceSheet>
  );
}
