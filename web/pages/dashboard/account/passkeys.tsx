import { useRef, useState } from 'react';
import { type LoaderFunctionArgs, redirectDocument, useLoaderData } from 'react-router';
import { findAccountPage } from '../../../client/account-page.ts';
import { requireViewer } from '../../../client/route-access.ts';
import { Button } from '../../../components/button.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { Link } from '../../../components/link.tsx';
import { Moment } from '../../../components/moment.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Cell, Table } from '../../../components/table.tsx';
import { FetchError, useFetched } from './fetched.tsx';
import { PasskeyForm } from './passkeys/passkey-form.tsx';
import { listPasskeys, type Passkey } from './passkeys/passkeys.ts';
import { RemoveDialog } from './passkeys/remove-dialog.tsx';

export function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const { signsInWith } = viewer;
  // Only documents contain `signsInWith`: after a sign-in without a page load, load one.
  if (!signsInWith) throw redirectDocument(args.request.url);
  return { viewer, hasPassword: signsInWith.includes('password') };
}

/** Adds, lists and removes passkeys. The browser fetches the list, since passkeys need scripts anyway. */
export function Component() {
  const { viewer, hasPassword } = useLoaderData<typeof loader>();
  const { value: passkeys, error, load } = useFetched(listPasskeys);
  const [toRemove, setToRemove] = useState<Passkey>();
  const heading = useRef<HTMLHeadingElement>(null);
  const removed = useRef(false);
  const toast = useToast();

  return (
    <>
      <PageHeading
        title="Passkeys"
        description="Sign in with your fingerprint, your face or your device’s PIN."
      />
      <noscript>
        <p className="mb-6">Passkeys need JavaScript: turn it on in this browser.</p>
      </noscript>
      <p className="mb-8 max-w-text text-soft">
        A passkey replaces the password and the code when you sign in, and works only on this shop’s own
        pages. Resetting your password removes all passkeys.
      </p>
      <section aria-labelledby="your-passkeys" className="noscript:hidden mb-12">
        <h2 id="your-passkeys" ref={heading} tabIndex={-1} className="mb-4 text-2xl">
          Your passkeys
        </h2>
        {passkeys?.length === 0 && <p className="text-soft">You have no passkeys yet.</p>}
        {passkeys && passkeys.length > 0 && (
          <Table caption="Your passkeys, newest first" columns={['Name', 'Added', 'Remove']}>
            {passkeys.map((passkey) => (
              <tr key={passkey.id}>
                <Cell>
                  <span className="font-serif text-lg leading-tight wrap-anywhere">{passkey.name}</span>
                </Cell>
                <Cell label="Added">
                  <Moment at={passkey.createdAt} />
                </Cell>
                <Cell>
                  <Button kind="danger" onClick={() => setToRemove(passkey)}>
                    Remove<span className="sr-only"> {passkey.name}</span>
                  </Button>
                </Cell>
              </tr>
            ))}
          </Table>
        )}
        <FetchError error={error} onRetry={load} />
      </section>
      <PasskeyForm
        viewer={viewer}
        hasPassword={hasPassword}
        onAdded={async () => {
          toast('The passkey was added.');
          await load();
          heading.current?.focus();
        }}
      />
      <p className="mt-10 print:hidden">
        <Link to={findAccountPage(viewer)} className="link link-alone">
          Back to your account
        </Link>
      </p>
      {toRemove && (
        <RemoveDialog
          passkey={toRemove}
          email={viewer.email}
          hasPassword={hasPassword}
          onRemoved={async () => {
            removed.current = true;
            toast(`The passkey ${toRemove.name} was removed.`);
            await load();
          }}
          onClose={() => {
            setToRemove(undefined);
            // The button that had the focus has been removed.
            if (removed.current) heading.current?.focus();
            removed.current = false;
          }}
        />
      )}
    </>
  );
}
