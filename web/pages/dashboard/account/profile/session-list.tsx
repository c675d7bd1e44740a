import { useRef, useState } from 'react';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { Button } from '../../../../components/button.tsx';
import { ConfirmDialog } from '../../../../components/feedback/dialog.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { Cell, Table } from '../../../../components/table.tsx';
import { FetchError, useFetched } from '../fetched.tsx';
import { listSessions, revokeSession, type SessionInfo } from './sessions.ts';
import { describeBrowser } from './user-agent.ts';

/** The user's sessions with a sign-out button each. Fetched in the browser; until then, only this session's row is shown. */
export function SessionList() {
  const { value: sessions, error, load } = useFetched(listSessions);
  const [toEnd, setToEnd] = useState<SessionInfo | 'others'>();
  const heading = useRef<HTMLHeadingElement>(null);
  const ended = useRef(false);
  const toast = useToast();

  async function end(which: SessionInfo | 'others') {
    try {
      await revokeSession(which);
      ended.current = true;
      toast(which === 'others' ? 'Signed out everywhere else.' : `${formatBrowser(which)} was signed out.`);
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    await load();
  }

  return (
    <section aria-labelledby="sessions" className="mt-16 border-t-2 border-edge pt-6">
      <h2 id="sessions" ref={heading} tabIndex={-1} className="mb-2 text-2xl">
        Where you are signed in
      </h2>
      <p className="mb-8 max-w-text text-soft">
        Each session ends automatically after 30 days. If you do not recognize one of these, sign it out and
        change your password. Changing how you sign in also signs you out everywhere else and forgets your
        trusted devices.
      </p>
      <Table
        caption="Where you are signed in, this browser first"
        columns={['Browser', 'Signed in', 'IP address', 'Status']}
      >
        <SessionRow session={sessions?.current} />
        {sessions?.others?.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => setToEnd(session)} />
        ))}
      </Table>
      {sessions && !sessions.others && (
        <p className="mt-6 max-w-text text-soft">
          You signed in here more than a day ago. To see where else you are signed in, sign out and in again.
        </p>
      )}
      <p className="mt-6 min-h-11">
        {sessions?.others?.length === 0
          ? 'You are not signed in anywhere else.'
          : sessions && (
              <Button kind="danger" onClick={() => setToEnd('others')}>
                Sign out everywhere else
              </Button>
            )}
      </p>
      <FetchError error={error} onRetry={load} />
      {toEnd && (
        <ConfirmDialog
          title={toEnd === 'others' ? 'Sign out everywhere else?' : `Sign out ${formatBrowser(toEnd)}?`}
          confirmLabel="Sign out"
          cancelLabel="Cancel"
          onConfirm={() => end(toEnd)}
          onClose={() => {
            setToEnd(undefined);
            // The button that had the focus has been removed.
            if (ended.current) heading.current?.focus();
            ended.current = false;
          }}
        >
          <p className="wrap-anywhere text-soft">
            {toEnd !== 'others' && (
              <span className="mb-2 block">
                From {formatAddress(toEnd)}, signed in <Moment at={toEnd.createdAt} />
              </span>
            )}
            {toEnd === 'others' ? 'The other browsers' : 'That browser'} must sign in again. This one stays
            signed in.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const formatBrowser = ({ userAgent }: SessionInfo) => describeBrowser(userAgent ?? '');
const formatAddress = ({ ipAddress }: SessionInfo) => ipAddress || 'an unknown address';

/** A row of the list. Without `onEnd`, it shows the current session. Until that is loaded, placeholders reserve its height. */
function SessionRow({ session, onEnd }: { session: SessionInfo | undefined; onEnd?: () => void }) {
  return (
    <tr>
      <Cell>
        <span className="font-serif text-lg leading-tight">{session ? formatBrowser(session) : '…'}</span>
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
      <Cell label="IP address">{session ? session.ipAddress || '–' : '…'}</Cell>
      <Cell label="Status">
        {onEnd ? (
          <Button kind="danger" onClick={onEnd} className="whitespace-nowrap">
            Sign out
            {session && (
              <span className="sr-only">
                {' '}
                {formatBrowser(session)}, signed in <Moment at={session.createdAt} />
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
