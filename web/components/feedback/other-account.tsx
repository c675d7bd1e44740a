import { useLocation } from 'react-router';
import type { Viewer } from '../../../contract/pages.ts';
import { useViewer } from '../../client/viewer.ts';
import { Button, ButtonLink } from '../button.tsx';
import { Sign } from '../layout/sign.tsx';

/** Says who is signed in now if another window has changed it while this page still shows the previous account. */
export function OtherAccount({ now }: { now: Viewer | undefined }) {
  const shown = useViewer();
  const { pathname, search } = useLocation();
  if (!shown || shown._id === now?._id) return null;
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-6 gap-y-2 border-b border-ruby bg-leaf px-4 py-2 text-sm">
      <p className="min-w-0 font-medium wrap-anywhere text-ruby">
        <Sign name="wrong" className="mr-2" />
        {now
          ? `You are now signed in as ${now.name} (${now.email}). This page still shows ${shown.name}’s account.`
          : `You have signed out in another window. This page still shows ${shown.name}’s account.`}
      </p>
      {now ? (
        <Button kind="plain" onClick={() => location.reload()}>
          Continue as {now.name}
        </Button>
      ) : (
        <ButtonLink kind="plain" to={`/login?from=${encodeURIComponent(pathname + search)}`}>
          Sign in
        </ButtonLink>
      )}
    </div>
  );
}
