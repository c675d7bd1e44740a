import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router';
import { useAccountChange } from '../../client/account-changes.ts';
import { loadChunk } from '../../client/chunk.ts';
import { useSettings } from '../../shop.tsx';
import { Loading } from '../feedback/loading.tsx';
import { Offline } from '../feedback/offline.tsx';
import { ToastProvider } from '../feedback/toast.tsx';
import { Header } from './header.tsx';

const OtherAccount = lazy(() =>
  loadChunk(import('../feedback/other-account.tsx')).then((module) => ({ default: module.OtherAccount })),
);

/** The frame around every page. */
export function Layout() {
  const { sandbox, testKeys } = useSettings();
  const change = useAccountChange();
  const { state, location: next } = useNavigation();
  const { pathname, search, key } = useLocation();
  // Each page of a list counts as a page.
  useHeadingFocus(pathname + (new URLSearchParams(search).get('after') ?? ''), key);
  // Revalidating the current page is not a navigation.
  const navigating = state === 'loading' && next.pathname !== pathname;
  const showLoading = useDelayed(navigating) && navigating;
  return (
    <ToastProvider
      header={
        <>
          <a href="#main" className="skip-link print:hidden">
            Skip to the content
          </a>
          {(sandbox || testKeys) && (
            <aside className="border-b border-rule bg-leaf px-4 py-1.5 text-center text-xs text-soft">
              {sandbox ? 'Sandbox' : 'Test mode'}: no real card is charged.{' '}
              {sandbox && (
                <a href="/sandbox/mail" className="underline">
                  View inbox
                </a>
              )}
            </aside>
          )}
          <Header />
        </>
      }
    >
      {/* Always present: screen readers announce only changes to an existing status region. */}
      <div role="status" className="sticky top-0 z-30 print:hidden">
        <Offline />
        <Suspense>{change && <OtherAccount currentViewer={change.viewer} />}</Suspense>
      </div>
      <main id="main" tabIndex={-1} className="mx-auto max-w-page px-4 py-12 outline-none sm:px-8">
        <div role="status">{showLoading && <Loading />}</div>
        <Outlet />
      </main>
      <ScrollRestoration />
    </ToastProvider>
  );
}

const indicatorDelayMs = 400;

/** True once `busy` has lasted for `indicatorDelayMs`, so that short waits show no indicator. */
export function useDelayed(busy: boolean): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(setIsLate, indicatorDelayMs, true);
    return () => {
      clearTimeout(timer);
      setIsLate(false);
    };
  }, [busy]);
  return isLate;
}

/**
 * Moves the focus to the new page's heading after a navigation, unless the page has a field to begin with. Within a page, only if
 * the link was in the menu, which has closed, or in the footer.
 */
function useHeadingFocus(page: string, key: string) {
  const focused = useRef({ page, key });
  useEffect(() => {
    const isSamePage = focused.current.page === page;
    if (isSamePage && focused.current.key === key) return;
    focused.current = { page, key };
    if (document.activeElement?.matches(isSamePage ? 'main, main *, header *' : 'main :is(input, textarea)'))
      return;
    document.querySelector('h1')?.focus({ preventScroll: true });
  }, [page, key]);
}
