import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router';
import { loadChunk } from '../../client/chunk.ts';
import { useChange } from '../../client/other-window.ts';
import { useSettings } from '../../shop.tsx';
import { Footer } from './footer.tsx';
import { Header } from './header.tsx';
import { Loading } from '../feedback/loading.tsx';
import { Offline } from '../feedback/offline.tsx';
import { Toasts } from '../feedback/toast.tsx';

/** Needed seldom, so it is loaded when it is. */
const OtherAccount = lazy(() =>
  loadChunk(import('../feedback/other-account.tsx')).then((module) => ({ default: module.OtherAccount })),
);

/** What stands around every page. */
export function Layout() {
  const { sandbox } = useSettings();
  const change = useChange();
  const { state, location: next } = useNavigation();
  const { pathname, search } = useLocation();
  // The rows behind others are a page of their own.
  useHeadingFocus(pathname + (new URLSearchParams(search).get('after') ?? ''));
  // A page that only asks for its own data anew stays where it is.
  const away = state === 'loading' && next.pathname !== pathname;
  const waiting = useLate(away) && away;
  return (
    <Toasts>
      <a
        href="#main"
        className="print:hidden absolute top-2 left-2 z-50 -translate-y-20 bg-blued px-4 py-3 text-leaf focus:translate-y-0"
      >
        Skip to the content
      </a>
      {sandbox && (
        <aside
          aria-label="Sandbox"
          className="border-b border-rule bg-leaf px-4 py-1.5 text-center text-xs text-soft"
        >
          Sandbox: no real card is charged.
        </aside>
      )}
      <Header />
      {/* There from the start, or screen readers would miss what appears in it. */}
      <div role="status" className="sticky top-0 z-30 print:hidden">
        <Offline />
        <Suspense>{change && <OtherAccount now={change.viewer} />}</Suspense>
      </div>
      <main id="main" tabIndex={-1} className="mx-auto max-w-page px-4 py-12 outline-none sm:px-8">
        {/* It is there before there is anything to say, else nobody would hear it. */}
        <div role="status">{waiting && <Loading />}</div>
        <Outlet />
      </main>
      <Footer />
      <ScrollRestoration />
    </Toasts>
  );
}

/** What comes soon needs no word: the old page stays for a moment, and only a wait that is felt shows itself. */
function useLate(busy: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(setLate, 400, true);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [busy]);
  return late;
}

/** On the way from page to page the focus goes to the new page's heading, as a new document's would. */
function useHeadingFocus(page: string) {
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    document.querySelector('h1')?.focus({ preventScroll: true });
  }, [page]);
}
