import { useEffect, useRef } from 'react';
import { type LoaderFunctionArgs, redirect, useNavigate, useSearchParams } from 'react-router';
import { readReturnPath } from '../client/route-access.ts';
import { loaderContext } from '../client/route-context.ts';
import { getSession } from '../client/session.ts';
import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { ErrorSummary } from '../forms/error-summary.tsx';
import { ErrorMessage } from '../forms/fields/error-message.tsx';
import { Field } from '../forms/fields/field.tsx';
import { useRejectedForm, useShopForm } from '../forms/use-shop-form.ts';
import { createCodeForm, usesRecoveryCode } from './sign-in/code.ts';
import { CodeField } from './sign-in/code-field.tsx';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';

/** Redirects signed-in users. The page does not know whether a sign-in waits for a code: only the identity service does. */
export function loader({ context, request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  if (context.get(loaderContext).viewer) throw redirect(readReturnPath(searchParams));
  return null;
}

/** The second step of signing in. Each of its two forms has its own key, so that no input moves between them. */
export function Component() {
  const [search] = useSearchParams();
  const isRecovery = usesRecoveryCode(search);
  const wasRecovery = useRef(isRecovery);
  // The link between the forms, which had the focus, is gone.
  useEffect(() => {
    if (isRecovery !== wasRecovery.current) document.querySelector('h1')?.focus();
    wasRecovery.current = isRecovery;
  }, [isRecovery]);
  return <CodePage key={`${isRecovery}`} isRecovery={isRecovery} search={search} />;
}

function CodePage({ isRecovery, search }: { isRecovery: boolean; search: URLSearchParams }) {
  const navigate = useNavigate();
  const definition = createCodeForm(search);
  const rejected = useRejectedForm(definition.name);
  const form = useShopForm(definition, rejected);
  const { isSubmitting, submitCount } = form.formState;

  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
      await getSession().refresh();
      await navigate(definition.redirectTo, { replace: true });
    } catch (error) {
      form.showError(error);
    }
  });

  const { defaultValue, error: _, ...trustDevice } = form.field('trustDevice');
  const from = `from=${encodeURIComponent(definition.redirectTo)}`;
  return (
    <SignInLayout>
      <PageHeading
        title={isRecovery ? 'Enter a recovery code' : 'Enter your code'}
        description="The second step of signing in."
      />
      <p className="mb-6 text-soft">
        {isRecovery
          ? 'Enter one of the recovery codes that you saved. Each works once.'
          : 'Open the authenticator app on your phone and enter the code that it shows for this shop.'}
      </p>
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      <form method="post" noValidate onSubmit={send}>
        {isRecovery ? (
          <Field
            label="Recovery code"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={40}
            enterKeyHint="go"
            {...form.field('code')}
          />
        ) : (
          <CodeField {...form.field('code')} />
        )}
        <label className="mb-6 flex min-h-11 items-center gap-3 text-sm">
          <input
            type="checkbox"
            defaultChecked={defaultValue === 'on'}
            className="size-5 shrink-0"
            {...trustDevice}
          />
          Trust this device for 30 days
        </label>
        <Button type="submit" busy={isSubmitting} className="w-full">
          Login
        </Button>
        <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
      </form>
      <p className="mt-6 text-sm">
        {isRecovery ? 'Have your phone? ' : 'Don’t have your phone? '}
        <Link to={`/login/code?${from}${isRecovery ? '' : '&use=recovery-code'}`} className="link link-alone">
          {isRecovery ? 'Use the app’s code' : 'Use a recovery code'}
        </Link>
      </p>
      <SwitchFormLink question="Wrong account, or waited too long?" to="/login">
        Start again
      </SwitchFormLink>
    </SignInLayout>
  );
}
