import { useEffect, useRef } from 'react';
import { type LoaderFunctionArgs, redirect, useSearchParams } from 'react-router';
import { loginCodePage, loginPage } from '../../contract/page-addresses.ts';
import { readReturnPath } from '../client/route-access.ts';
import { loaderContext } from '../client/route-context.ts';
import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Field } from '../forms/fields/field.tsx';
import { FormStart } from '../forms/use-page-form.tsx';
import { codeForm, recoveryCodeForm, usesRecoveryCode } from './sign-in/code.ts';
import { CodeField } from './sign-in/code-field.tsx';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';
import { useSessionForm } from './sign-in/use-session-form.ts';

/** Redirects signed-in users. The page does not know whether a sign-in waits for a code: only the identity service does. */
export function loader({ context, request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  if (context.get(loaderContext).viewer) throw redirect(readReturnPath(searchParams.get('from')));
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
  const from = search.get('from') ?? '';
  const form = useSessionForm(isRecovery ? recoveryCodeForm : codeForm);
  const { defaultValue, error: _, ...trustDevice } = form.field('trustDevice');
  const query = `from=${encodeURIComponent(readReturnPath(from))}`;
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
      <form {...form.props}>
        <FormStart form={form} />
        <input type="hidden" name="from" value={from} />
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
        <Button type="submit" busy={form.isBusy} className="w-full">
          Login
        </Button>
      </form>
      <p className="mt-6 text-sm">
        {isRecovery ? 'Have your phone? ' : 'Don’t have your phone? '}
        <Link
          to={`${loginCodePage}?${query}${isRecovery ? '' : '&use=recovery-code'}`}
          className="link link-alone"
        >
          {isRecovery ? 'Use the app’s code' : 'Use a recovery code'}
        </Link>
      </p>
      <SwitchFormLink question="Wrong account, or waited too long?" to={loginPage}>
        Start again
      </SwitchFormLink>
    </SignInLayout>
  );
}
