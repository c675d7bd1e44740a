import { type ReactNode, useCallback, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type LoaderFunctionArgs, redirectDocument, useLoaderData, useRevalidator } from 'react-router';
import { findAccountPage } from '../../../client/account-page.ts';
import { requireViewer } from '../../../client/route-access.ts';
import { getSession } from '../../../client/session.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { CodeStep } from './two-factor/code-step.tsx';
import { renewForm, type SetUp, setUpForm, turnOffForm } from './two-factor/forms.ts';
import { PasswordStep } from './two-factor/password-step.tsx';
import { RecoveryCodes } from './two-factor/recovery-codes.tsx';
import { Secret } from './two-factor/secret.tsx';

export function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const { signsInWith } = viewer;
  // Only documents contain `signsInWith`: after a sign-in without a page load, load one.
  if (!signsInWith) throw redirectDocument(args.request.url);
  return { viewer, hasPassword: signsInWith.includes('password') };
}

/** Turns two-factor sign-in on and off. */
export function Component() {
  const { viewer, hasPassword } = useLoaderData<typeof loader>();
  const { twoFactor, adminStep } = viewer;
  const [setUp, setSetUp] = useState<SetUp>();
  const [codes, setCodes] = useState<string[]>();
  const { revalidate } = useRevalidator();
  const toast = useToast();

  /** The session has been renewed, so get its token. Without one, calls rely on the cookie. */
  const refresh = () =>
    getSession()
      .refresh()
      .then(revalidate)
      .catch(() => {});

  return (
    <>
      <PageHeading title="Two-factor sign-in" description="A code from your phone protects your account." />
      <noscript>
        <p className="mb-6">Changing this needs JavaScript: turn it on in this browser.</p>
      </noscript>
      {adminStep && !codes && (
        <Notice>
          This shop requires two-factor sign-in for admins. The admin pages open as soon as you{' '}
          {adminStep === 'code' ? 'have entered a code.' : 'have turned it on.'}
        </Notice>
      )}
      {codes ? (
        <RecoveryCodes
          codes={codes}
          onDone={() => {
            setCodes(undefined);
            focusHeading();
          }}
        />
      ) : twoFactor ? (
        <>
          <p className="mb-8">
            <StatusBadge tone="done">On. Your password alone is not enough to sign in.</StatusBadge>
          </p>
          {adminStep === 'code' && (
            <section aria-labelledby="enter-code" className="mb-10">
              <h2 id="enter-code" className="mb-4 text-2xl">
                Enter a code
              </h2>
              <CodeStep
                viewer={viewer}
                button="Open the admin pages"
                onEntered={() => refresh().then(focusHeading)}
              />
            </section>
          )}
          <div className="grid gap-x-12 gap-y-10 lg:grid-cols-2">
            <Choice
              title="Recovery codes"
              text="Sign in with a recovery code if you don’t have your phone. New codes replace the old ones."
              button="Create new codes"
            >
              {(cancel) => (
                <PasswordStep
                  form={renewForm}
                  viewer={viewer}
                  button="Create new codes"
                  onDone={({ backupCodes }) => setCodes(backupCodes)}
                  onCancel={cancel}
                />
              )}
            </Choice>
            <Choice
              title="Turn it off"
              text="Your password alone will be enough to sign in. You are signed out on your other devices."
              button="Turn off"
              kind="danger"
            >
              {(cancel) => (
                <PasswordStep
                  form={turnOffForm}
                  viewer={viewer}
                  button="Turn off two-factor sign-in"
                  kind="danger"
                  onDone={async () => {
                    toast('Two-factor sign-in is off.');
                    await refresh();
                    focusHeading();
                  }}
                  onCancel={cancel}
                />
              )}
            </Choice>
          </div>
        </>
      ) : setUp ? (
        <>
          <Secret {...setUp} />
          <h2 className="mb-4 text-2xl">Enter the code that the app shows</h2>
          <CodeStep
            viewer={viewer}
            button="Turn on two-factor sign-in"
            onEntered={async () => {
              toast('Two-factor sign-in is on.');
              setCodes(setUp.backupCodes);
              setSetUp(undefined);
              await refresh();
            }}
          />
        </>
      ) : hasPassword ? (
        <>
          <p className="mb-6 font-medium">Off. Your password alone is enough to sign in.</p>
          <p className="mb-6 max-w-text text-soft">
            When you sign in with your password, you’ll also enter a code from an authenticator app on your
            phone. A stolen password alone is then not enough to get into your account.
          </p>
          <PasswordStep form={setUpForm} viewer={viewer} button="Set it up" onDone={setSetUp} />
        </>
      ) : (
        <p className="max-w-text text-soft">
          You sign in with Google only, so your Google account’s own second step protects you. Two-factor
          sign-in here protects a password, which this account does not have
          {adminStep ? ': ask the shop’s operator to set one (npm run reset-password).' : '.'}
        </p>
      )}
      {/* Following this link would lose the recovery codes. */}
      {!codes && (
        <p className="mt-10 print:hidden">
          <Link to={findAccountPage(viewer)} className="link link-alone">
            Back to your account
          </Link>
        </p>
      )}
    </>
  );
}

/** Call it after a step whose button had the focus and is gone. */
const focusHeading = () => document.querySelector('h1')?.focus();

type ChoiceProps = {
  title: string;
  text: string;
  button: string;
  kind?: 'plain' | 'danger';
  /** The form that the button opens. */
  children: (cancel: () => void) => ReactNode;
};

function Choice({ title, text, button, kind = 'plain', children }: ChoiceProps) {
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const cancel = useCallback(() => {
    flushSync(() => setOpen(false));
    opener.current?.focus();
  }, []);
  return (
    <section>
      <h2 className="mb-2 text-xl">{title}</h2>
      <p className="mb-6 text-soft">{text}</p>
      {open ? (
        children(cancel)
      ) : (
        <Button ref={opener} kind={kind} onClick={() => setOpen(true)} className="noscript:hidden">
          {button}
        </Button>
      )}
    </section>
  );
}
