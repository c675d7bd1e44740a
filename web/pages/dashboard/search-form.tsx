import { Button } from '../../components/button.tsx';
import { Field } from '../../forms/fields/field.tsx';
import { useSearchForm } from '../../forms/use-search-form.ts';

const toSearch = (q: string) => (q ? `?${new URLSearchParams({ q })}` : '?');

/** Searches a page's list as the user types: `?q=`. A GET form, so that it works without scripts. */
export function SearchForm({ label, hint, text }: { label: string; hint: string; text: string }) {
  const { form, submit, searchSoon, stopTyping } = useSearchForm({ q: text }, toSearch(text), (fields) =>
    toSearch(fields.get('q') ?? ''),
  );
  return (
    <search className="mb-4 block max-w-form">
      <form ref={form} method="get" onSubmit={submit} onBlur={stopTyping} className="flex items-end gap-3">
        <div className="min-w-0 grow">
          <Field
            label={label}
            hint={hint}
            name="q"
            type="search"
            maxLength={100}
            enterKeyHint="search"
            autoComplete="off"
            spellCheck={false}
            defaultValue={text}
            onInput={searchSoon}
          />
        </div>
        <Button type="submit" kind="plain" className="mb-6 min-h-12">
          Search
        </Button>
      </form>
    </search>
  );
}
