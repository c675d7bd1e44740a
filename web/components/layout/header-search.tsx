import type { FormEvent } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { productsPage } from '../../../contract/page-addresses.ts';
import { useHydrated } from '../../client/hydration.ts';
import { useSearchShortcut } from '../../client/shortcuts.ts';
import { useSuggestions } from '../catalogue/use-suggestions.tsx';

const path = productsPage;

/**
 * Searches the catalogue from any page. Where there is no room for the box, the header has a link to the one on /products. A GET
 * form, so that it works without scripts.
 */
export function HeaderSearch() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  useSearchShortcut();
  const suggestions = useSuggestions(useHydrated());
  if (pathname === path) return null;

  function search(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const q = String(new FormData(event.currentTarget).get('q') ?? '').trim();
    event.currentTarget.reset();
    void navigate(q ? `${path}?${new URLSearchParams({ q })}` : path);
  }
  return (
    <search className="relative max-xl:hidden">
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
          {...suggestions.box}
          className="min-h-11 w-40 rounded-control border border-edge bg-leaf px-3 text-base text-ink"
        />
      </form>
      <div className="absolute top-full right-0 w-96">{suggestions.list}</div>
    </search>
  );
}
