import { manageProductsPage } from '../../../../../contract/page-addresses.ts';
import { foldLine } from '../../../../../contract/text.ts';
import { Button } from '../../../../components/button.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { SelectField } from '../../../../forms/fields/select-field.tsx';
import { useSearchForm } from '../../../../forms/use-search-form.ts';
import { FilterLink } from '../../filter-link.tsx';
import {
  listSortLabels,
  type ProductList,
  type ProductListQuery,
  productLists,
  readProductListQuery,
  toSearch,
} from './query.ts';

type Props = { listQuery: ProductListQuery; categories: string[] };

/** Search, filters and sorting of the products, all in the page's URL. */
export function ProductFilters({ listQuery, categories }: Props) {
  const { list, q, category, sort } = listQuery;
  const current = categories.find((one) => foldLine(one) === foldLine(category)) ?? category;
  const { form, submit, searchNow, searchSoon, stopTyping, cancel } = useSearchForm(
    listQuery,
    toSearch(listQuery),
    (fields) => toSearch(readProductListQuery(fields)),
  );

  return (
    <>
      <nav aria-label="Products" onClickCapture={cancel} className="mb-4 flex flex-wrap gap-x-6">
        {Object.entries(productLists)
          // Linked from the delivery rates.
          .filter(([name]) => name !== 'weightless' || name === list)
          .map(([name, label]) => (
            <FilterLink
              key={name}
              to={`${manageProductsPage}${toSearch({ ...listQuery, list: name as ProductList }).replace(/^\?$/, '')}`}
              current={name === list}
            >
              {label}
            </FilterLink>
          ))}
      </nav>
      <search>
        <form
          ref={form}
          method="get"
          onSubmit={submit}
          onBlur={stopTyping}
          className="grid gap-x-4 sm:grid-cols-3"
        >
          {list !== 'current' && <input type="hidden" name={list} value="" />}
          <Field
            label="Search products"
            name="q"
            type="search"
            maxLength={100}
            enterKeyHint="search"
            autoComplete="off"
            spellCheck={false}
            defaultValue={q}
            onInput={searchSoon}
          />
          <SelectField
            id="category"
            label="Category"
            name="category"
            defaultValue={current}
            options={listChoices(categories, current)}
            onChange={searchNow}
          />
          <SelectField
            id="sort"
            label="Sort"
            name="sort"
            defaultValue={sort}
            options={listSortLabels(listQuery)}
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

/** Includes the current category, even if no product has it any more. */
const listChoices = (categories: string[], current: string): Record<string, string> => ({
  '': 'All',
  ...Object.fromEntries([...categories, ...(current ? [current] : [])].map((name) => [name, name])),
});
