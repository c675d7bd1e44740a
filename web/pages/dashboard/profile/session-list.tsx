import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/feedback/dialog.tsx';
import { Moment } from '../../../components/moment.tsx';
import { Refusal } from '../../../forms/refusal-message.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Cell, Table } from '../../../components/table.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { sayWhy } from '../../../client/failure.ts';
import { endSession, listSessions, type Sessions, type SignedIn } from './sessions.ts';
import { nameBrowser } from './user-agent.ts';

/** Where a person is signed in, each with its way out. The browser asks for it; the row of this one is there before. */
export function SessionList() {
  const [found, setFound] = useState<Sessions>();
  const [refused, setRefused] = useState<string>();
  const [chosen, setChosen] = useState<SignedIn | 'others'>();
  const heading = useRef<HTMLHeadingElement>(null);
  const ended = useRef(false);
  const toast = useToast();
  const load = useCallback(async () => {
    try {
      setFound(await listSessions());
      setRefused(undefined);
    } catch (error) {
      setRefused(sayWhy(error));
    }
  }, []);
  useEffect(() => void load(), [load]);

  async function end(which: SignedIn | 'others') {
    try {
      await endSession(which);
      ended.current = true;
      toast(`${which === 'others' ? 'Everywhere else' : nameOf(which)}: signed out.`);
    } catch (error) {
      toast(sayWhy(error), 'wrong');
    }
    await load();
  }

  return (
    <section aria-labelledby="sessions" className="mt-16 border-t-2 border-edge pt-6">
      <h2 id="sessions" ref={heading} tabIndex={-1} className="mb-2 text-2xl">
        Where you are signed in
      </h2>
      <p className="mb-8 max-w-text text-soft">
        Every sign-in ends by itself after 30 days. If you do not know one of these, sign it out and change
        your password.
      </p>
      <Table
        caption="Where you are signed in, this browser first"
        columns={['Browser', 'Signed in', 'Network address', 'State']}
      >
        <SessionRow session={found?.here} />
        {found?.others?.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => setChosen(session)} />
        ))}
      </Table>
      {found && !found.others && (
        <p className="mt-6 max-w-text text-soft">
          You signed in here more than a day ago. To see where else you are signed in, sign out and in again.
        </p>
      )}
      <p className="mt-6 min-h-11">
        {found?.others?.length === 0
          ? 'You are signed in nowhere else.'
          : found && (
              <Button kind="danger" onClick={() => setChosen('others')}>
                Sign out everywhere else
              </Button>
            )}
      </p>
      <div role="alert">
        {refused && (
          <>
            <Refusal>{refused}</Refusal>
            <Button kind="plain" onClick={load} className="mt-4">
              Retry
            </Button>
          </>
        )}
      </div>
      {chosen && (
        <ConfirmDialog
          title={chosen === 'others' ? 'Sign out everywhere else?' : `Sign out ${nameOf(chosen)}?`}
          act="Sign out"
          keep="Cancel"
          onConfirm={() => end(chosen)}
          onClose={() => {
            setChosen(undefined);
            // The button that had the focus is gone.
            if (ended.current) heading.current?.focus();
            ended.current = false;
          }}
        >
          <p className="wrap-anywhere text-soft">
            {chosen !== 'others' && (
              <span className="mb-2 block">
                From {addressOf(chosen)}, signed in <Moment at={chosen.createdAt} />
              </span>
            )}
            Whoever uses it has to sign in again. This browser stays signed in.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const nameOf = ({ userAgent }: SignedIn) => nameBrowser(userAgent ?? '');
const addressOf = ({ ipAddress }: SignedIn) => ipAddress || 'an unknown address';

/** This browser's, without `onEnd`, is as high before it is known. */
function SessionRow({ session, onEnd }: { session: SignedIn | undefined; onEnd?: () => void }) {
  return (
    <tr>
      <Cell>
        <span className="font-serif text-lg leading-tight">{session ? nameOf(session) : '…'}</span>
      </Cell>
      <Cell label="Signed in">
        {session ? (
          <Moment at={session.createdAt} />
        ) : (
          <span className="invisible">
            <Moment at="1970-01-01T00:00:00Z" />
          </span>
        )}
      </Cell>
      <Cell label="Network address">{session ? session.ipAddress || '–' : '…'}</Cell>
      <Cell label="State">
        {onEnd ? (
          <Button kind="danger" onClick={onEnd} className="whitespace-nowrap">
            Sign out
            {session && (
              <span className="sr-only">
                {' '}
                {nameOf(session)}, signed in <Moment at={session.createdAt} />
              </span>
            )}
          </Button>
        ) : (
          <StatusBadge tone="done">this browser</StatusBadge>
        )}
      </Cell>
    </tr>
  );
}
