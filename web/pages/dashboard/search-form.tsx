import { SearchBox } from '../../forms/search-box.tsx';
import { useSearchForm } from '../../forms/use-search-form.ts';

const toSearch = (q: string) => (q ? `?${new URLSearchParams({ q })}` : '?');

/** Searches a page's list as the user types: `?q=`. A GET form, so that it works without scripts. */
export function SearchForm({ label, hint, text }: { label: string; hint: string; text: string }) {
  const { form, submit, searchSoon, stopTyping } = useSearchForm({ q: text }, toSearch(text), (fields) =>
    toSearch(fields.get('q') ?? ''),
  );
  return (
    <search className="mb-4 block max-w-form">
      <form ref={form} method="get" onSubmit={submit} onBlur={stopTyping}>
        <SearchBox label={label} hint={hint} defaultValue={text} onInput={searchSoon} />
      </form>
    </search>
  );
}
