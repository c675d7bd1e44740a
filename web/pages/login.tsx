import { useEffect } from 'react';
import {
  type LoaderFunctionArgs,
  redirect,
  useNavigate,
  useRevalidator,
  useSearchParams,
} from 'react-router';
import { wayBack } from '../client/access.ts';
import { Button } from '../components/button.tsx';
import { ErrorSummary } from '../forms/error-summary.tsx';
import { Field } from '../forms/field.tsx';
import { Notice } from '../components/feedback/notice.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PasswordField } from '../forms/password-field.tsx';
import { session } from '../client/session.ts';
import { useRefused, useShopForm } from '../forms/use-shop-form.ts';
import { visit } from '../client/visit.ts';
import { EntranceSheet } from './entrance/entrance-sheet.tsx';
import { GoogleButton } from './entrance/google-button.tsx';
import { loginForm } from './entrance/login.ts';
import { OtherEntrance } from './entrance/other-entrance.tsx';

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
  const definition = loginForm(search);
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
      <PageHeading
        title="Login"
        description="Sign in to order tools, follow your orders and write reviews."
      />
      {refused && (
        <Notice>
          That page is for admins. You were signed out; sign in with an admin’s account to open it.
        </Notice>
      )}
      {search.get('from') && !refused && !search.get('error') && (
        <Notice>
          {search.get('reason') === 'ended'
            ? 'You have been signed out. Sign in again to go on: what you typed is kept in this window.'
            : 'Sign in to go on to the page that you asked for.'}
        </Notice>
      )}
      <ErrorSummary errors={form.listErrors()} tries={submitCount} />
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
        <Button type="submit" busy={isSubmitting} className="w-full">
          Login
        </Button>
        <GoogleButton
          back={definition.next}
          failed={search.get('error')}
          refused={form.root}
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
