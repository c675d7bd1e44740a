import type { FormEvent } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { productsPage } from '../../../contract/page-addresses.ts';
import { useSearchShortcut } from '../../client/shortcuts.ts';
import { Link } from '../link.tsx';

const path = productsPage;

/**
 * Searches the catalogue from any page: a search box or, where there is no room for one, a link to the box on /products. A
 * GET form, so that it works without scripts.
 */
export function HeaderSearch() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  useSearchShortcut();
  if (pathname === path) return null;

  function search(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const q = String(new FormData(event.currentTarget).get('q') ?? '').trim();
    event.currentTarget.reset();
    void navigate(q ? `${path}?${new URLSearchParams({ q })}` : path);
  }
  return (
    <>
      <search className="max-md:basis-full md:max-xl:hidden">
        <form action={path} method="get" onSubmit={search}>
          <input
            name="q"
            type="search"
            aria-label="Search the catalogue"
            aria-keyshortcuts="/"
            placeholder="Search tools"
            maxLength={100}
            enterKeyHint="search"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className="min-h-11 w-full rounded-control border border-edge bg-leaf px-3 text-base text-ink xl:w-40"
          />
        </form>
      </search>
      <Link
        to={`${path}#q`}
        aria-label="Search the catalogue"
        className="hidden size-11 shrink-0 items-center justify-center text-ink md:max-xl:flex"
      >
        <svg
          viewBox="0 0 24 24"
          className="size-6"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          aria-hidden="true"
        >
          <circle cx="10" cy="10" r="6.5" />
          <path d="M15 15l6 6" />
        </svg>
      </Link>
    </>
  );
}
