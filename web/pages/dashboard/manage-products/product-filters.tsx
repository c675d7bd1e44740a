import { type FormEvent, useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../forms/field.tsx';
import { SelectField } from '../../../forms/select-field.tsx';
import { FilterLink } from '../filter-link.tsx';
import {
  type ProductList,
  type ProductSort,
  productLists,
  sortLabels,
  toSearch,
  type Wanted,
} from './query.ts';

const typingPauseMs = 250;

type Props = { wanted: Wanted; categories: string[] };

/**
 * Searches, filters and sorts the list by its URL: as the user types, and as a GET form without scripts. Everything
 * typed in one go is one step for Back.
 */
export function ProductFilters({ wanted, categories }: Props) {
  const { list, q, category, sort } = wanted;
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const searched = useRef(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isTyping = useRef(false);

  // Back, Forward and links change the fields, too. Text that is being typed stays.
  useEffect(() => {
    const texts = { category, sort, ...(q === searched.current ? {} : { q }) };
    searched.current = q;
    for (const [name, text] of Object.entries(texts)) {
      const field = form.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = text;
    }
  }, [q, category, sort]);
  useEffect(() => () => clearTimeout(timer.current), []);

  function show(replace: boolean): void {
    clearTimeout(timer.current);
    if (!form.current) return;
    const input = new FormData(form.current);
    const read = (name: string) => String(input.get(name) ?? '').trim();
    const next = { list, q: read('q'), category: read('category'), sort: read('sort') as ProductSort };
    if (toSearch(next) === toSearch({ ...wanted, q: searched.current })) return;
    searched.current = next.q;
    void navigate(toSearch(next), { replace, preventScrollReset: true });
  }

  function searchNow(): void {
    show(isTyping.current);
    isTyping.current = true;
  }

  function searchSoon(): void {
    clearTimeout(timer.current);
    timer.current = setTimeout(searchNow, typingPauseMs);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    searchNow();
  }

  return (
    <>
      <nav aria-label="Products" className="mb-4 flex flex-wrap gap-x-6">
        {Object.entries(productLists).map(([name, label]) => (
          <FilterLink
            key={name}
            to={`/dashboard/manageProduct${toSearch({ ...wanted, list: name as ProductList }).replace(/^\?$/, '')}`}
            current={name === list}
          >
            {label}
          </FilterLink>
        ))}
      </nav>
      <search>
        <form ref={form} method="get" onSubmit={submit} className="grid gap-x-4 sm:grid-cols-3">
          {list !== 'current' && <input type="hidden" name={list} value="" />}
          <Field
            label="Search products"
            name="q"
            type="search"
            placeholder="Start of any word"
            maxLength={100}
            enterKeyHint="search"
            autoComplete="off"
            spellCheck={false}
            defaultValue={q}
            onChange={searchSoon}
            onBlur={() => {
              isTyping.current = false;
            }}
          />
          <SelectField
            id="category"
            label="Category"
            name="category"
            defaultValue={category}
            options={listChoices(categories, category)}
            onChange={() => show(false)}
          />
          <SelectField
            id="sort"
            label="Order"
            name="sort"
            defaultValue={sort}
            options={sortLabels}
            onChange={() => show(false)}
          />
          <noscript>
            <Button type="submit" kind="plain" className="mb-6">
              Search
            </Button>
          </noscript>
        </form>
      </search>
    </>
  );
}

/** Includes the current category, which the last of its products may just have lost. */
const listChoices = (categories: string[], current: string): Record<string, string> => ({
  '': 'All',
  ...Object.fromEntries([...categories, ...(current ? [current] : [])].map((name) => [name, name])),
});
