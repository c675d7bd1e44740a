import type { FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../components/button.tsx';
import { Field } from '../../forms/field.tsx';

/** Searches a page's list: `?q=`. A GET form, so that it works without scripts and the search is in the URL. */
export function SearchForm({ label, hint, text }: { label: string; hint: string; text: string }) {
  const navigate = useNavigate();
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get('q') ?? '').trim();
    void navigate(typed ? `?${new URLSearchParams({ q: typed })}` : '?');
  };
  return (
    <search className="mb-4 block max-w-form">
      <form method="get" onSubmit={search} className="flex items-end gap-3">
        <div className="min-w-0 grow">
          <Field
            // A new search also replaces the text after Back and Forward.
            key={text}
            label={label}
            hint={hint}
            name="q"
            type="search"
            maxLength={100}
            enterKeyHint="search"
            autoComplete="off"
            spellCheck={false}
            defaultValue={text}
          />
        </div>
        <Button type="submit" kind="plain" className="mb-6 min-h-12">
          Search
        </Button>
      </form>
    </search>
  );
}
