import { Button } from '../../../components/button.tsx';
import { Field } from '../../../forms/field.tsx';
import { SelectField } from '../../../forms/select-field.tsx';
import { useSearchForm } from '../../../forms/use-search-form.ts';
import { FilterLink } from '../filter-link.tsx';
import { type ProductList, productLists, readWanted, sortLabels, toSearch, type Wanted } from './query.ts';

type Props = { wanted: Wanted; categories: string[] };

/** Search, filters and sorting of the products, all in the page's URL. */
export function ProductFilters({ wanted, categories }: Props) {
  const { list, q, category, sort } = wanted;
  const { form, submit, searchNow, searchSoon, stopTyping } = useSearchForm(
    wanted,
    toSearch(wanted),
    (fields) => toSearch(readWanted(fields)),
  );

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
            onInput={searchSoon}
            onBlur={stopTyping}
          />
          <SelectField
            id="category"
            label="Category"
            name="category"
            defaultValue={category}
            options={listChoices(categories, category)}
            onChange={searchNow}
          />
          <SelectField
            id="sort"
            label="Order"
            name="sort"
            defaultValue={sort}
            options={sortLabels}
            onChange={searchNow}
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
