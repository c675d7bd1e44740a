import type { FormEvent } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { productsPage } from '../../../contract/page-addresses.ts';
import { useSearchShortcut } from '../../client/shortcuts.ts';

const path = productsPage;

/**
 * Searches the catalogue from any page. Where there is no room for the box, the header has a link to the one on /products. A GET
 * form, so that it works without scripts.
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
    <search className="max-xl:hidden">
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
          className="min-h-11 w-40 rounded-control border border-edge bg-leaf px-3 text-base text-ink"
        />
      </form>
    </search>
  );
}
