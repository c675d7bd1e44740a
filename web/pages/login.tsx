import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import {
  type LoaderFunctionArgs,
  redirect,
  useNavigate,
  useRevalidator,
  useSearchParams,
} from 'react-router';
import { z } from 'zod';
import { email } from '../../contract/fields.ts';
import { wayBack } from '../access.ts';
import { Button } from '../components/button.tsx';
import { ErrorSummary } from '../components/error-summary.tsx';
import { Field } from '../components/field.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { sayWhy } from '../failure.ts';
import { bySchema } from '../form.ts';
import { listErrors } from '../form-errors.ts';
import { signIn } from '../identity.ts';
import { session } from '../session.ts';
import { visit } from '../visit.ts';
import { EntranceSheet } from './entrance/entrance-sheet.tsx';
import { GoogleButton } from './entrance/google-button.tsx';
import { OtherEntrance } from './entrance/other-entrance.tsx';
import { password } from './entrance/password.ts';

const schema = z.object({ email, password });

/** Somebody who is signed in goes on; but for one whom an admin page has just refused. */
export function loader({ context, request }: LoaderFunctionArgs) {
  const { viewer } = context.get(visit);
  const { searchParams } = new URL(request.url);
  const refused = searchParams.get('reason') === 'admin' && viewer?.role !== 'admin';
  if (viewer && !refused) throw redirect(wayBack(searchParams));
  return null;
}

export function Component() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const refused = search.get('reason') === 'admin';
  useSignOut(refused);
  const form = useForm({
    resolver: bySchema(schema),
    defaultValues: { email: '', password: '' },
    shouldFocusError: false,
  });
  const { errors, isSubmitting, submitCount } = form.formState;

  const send = form.handleSubmit(async (values) => {
    try {
      await signIn(values);
      await session().refresh();
      await navigate(wayBack(search), { replace: true });
    } catch (error) {
      form.setError('root', { message: sayWhy(error) });
    }
  });

  return (
    <EntranceSheet>
      <PageHeading
        title="Login"
        description="Sign in to order tools, follow your orders and write reviews."
      />
      {refused && (
        <Notice>
          That page is for admins. You were signed out; sign in with an admin's account to open it.
        </Notice>
      )}
      {search.get('from') && !refused && !search.get('error') && (
        <Notice>
          {search.get('reason') === 'ended'
            ? 'You have been signed out. Sign in again to go on: what you typed is kept in this window.'
            : 'Sign in to go on to the page that you asked for.'}
        </Notice>
      )}
      <ErrorSummary errors={listErrors(errors, ['email', 'password'])} tries={submitCount} />
      <form method="post" noValidate onSubmit={send}>
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
          autoComplete="current-password"
          enterKeyHint="go"
          error={errors.password?.message}
          {...form.register('password')}
        />
        <Button type="submit" busy={isSubmitting} className="w-full">
          Login
        </Button>
        <GoogleButton
          back={wayBack(search)}
          failed={search.get('error')}
          refused={errors.root?.message}
          onRefused={(message) => form.setError('root', { message })}
        />
      </form>
      <OtherEntrance ask="New here?" to="/signup">
        Create an account
      </OtherEntrance>
    </EntranceSheet>
  );
}

/** Ends the session of somebody whom an admin page refused, as the specification has it; their token goes with it. */
function useSignOut(wanted: boolean) {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!wanted || !session().viewer()) return;
    void session()
      .end()
      .then(revalidate)
      // The page says so already, and the next try signs out again.
      .catch(() => {});
  }, [wanted, revalidate]);
}
