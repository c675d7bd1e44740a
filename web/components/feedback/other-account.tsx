import { useLocation } from 'react-router';
import { loginPage } from '../../../contract/page-addresses.ts';
import type { Viewer } from '../../../contract/pages.ts';
import { continueEvent } from '../../client/account-changes.ts';
import { useViewer } from '../../client/viewer.ts';
import { Button, ButtonLink } from '../button.tsx';
import { Icon } from '../layout/icon.tsx';

/**
 * Continues as the other user. Before the page reloads, forms save their input for the user who typed it (`KeptInput`,
 * `useDraft`).
 */
function continueAsOther(): void {
  dispatchEvent(new Event(continueEvent));
  location.reload();
}

/** A banner that is shown if another window has switched accounts or signed out. */
export function OtherAccount({ currentViewer }: { currentViewer: Viewer | undefined }) {
  const pageViewer = useViewer();
  const { pathname, search } = useLocation();
  if (!pageViewer || pageViewer._id === currentViewer?._id) return null;
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-6 gap-y-2 border-b border-ruby bg-leaf px-4 py-2 text-sm">
      <p className="min-w-0 font-medium wrap-anywhere text-ruby">
        <Icon name="wrong" className="mr-2" />
        {currentViewer
          ? `You are now signed in as ${currentViewer.name} (${currentViewer.email}). This page still shows ${pageViewer.name}’s account.`
          : `You have signed out in another window. This page still shows ${pageViewer.name}’s account.`}
      </p>
      {currentViewer ? (
        <Button kind="plain" onClick={continueAsOther}>
          Continue as {currentViewer.name}
        </Button>
      ) : (
        <ButtonLink kind="plain" to={`${loginPage}?from=${encodeURIComponent(pathname + search)}`}>
          Sign in
        </ButtonLink>
      )}
    </div>
  );
}
