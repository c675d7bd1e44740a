import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import type { ProductFilters } from '../../../contract/catalogue/product-list.ts';
import { foldLine } from '../../../contract/text.ts';
import { isPlainClick } from '../../client/plain-click.ts';
import { useViewer } from '../../client/viewer.ts';
import { Button } from '../../components/button.tsx';
import type { SuggestedTool } from '../../components/catalogue/suggestions.tsx';
import { useSuggestions } from '../../components/catalogue/use-suggestions.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { Link } from '../../components/link.tsx';
import { editableControl } from '../../forms/fields/field.tsx';
import { SearchBox } from '../../forms/search-box.tsx';
import { useSearchForm } from '../../forms/use-search-form.ts';
import { type CatalogueQuery, linkTo, listSortLabels, pricePattern, readCatalogueQuery } from './query.ts';

type Props = {
  query: CatalogueQuery;
  categories: ProductFilters['categories'];
  tools: SuggestedTool[];
  /** The number of results, and the active filters. */
  children: ReactNode;
};

/** Search, filters and sorting of the catalogue: one GET form and links, so that they work without scripts. */
export function CatalogueForm({ query, categories, tools, children }: Props) {
  const { form, submit, searchNow, searchSoon, stopTyping, cancel } = useSearchForm(
    query,
    linkTo(query),
    (fields) => linkTo(readCatalogueQuery(fields)),
  );
  const suggestions = useSuggestions(useIsNarrow(), { q: query.q, tools, onFollow: cancel });
  const panel = useRef<HTMLDetailsElement>(null);
  const viewer = useViewer();
  const { hash, key } = useLocation();
  const isReturning = useNavigationType() === 'POP';
  // The header's search link ends in #q. The page's heading takes the focus first.
  useEffect(() => {
    if (hash === '#q' && key && !isReturning)
      requestAnimationFrame(() => document.getElementById('q')?.focus());
  }, [hash, key, isReturning]);

  const { q, category, inStock, minPrice, maxPrice, sort } = query;
  const filterCount = [category, inStock, minPrice, maxPrice].filter(Boolean).length;

  /** On a phone, the open panel would cover the results. */
  function closePanel(): void {
    const { current } = panel;
    if (!current) return;
    const hasFocus = current.contains(document.activeElement);
    current.open = false;
    if (hasFocus) current.querySelector('summary')?.focus();
  }

  return (
    <search className="contents">
      <form
        ref={form}
        method="get"
        onSubmit={(event) => {
          submit(event);
          closePanel();
        }}
        onBlur={stopTyping}
        className="contents"
      >
        {category && <input type="hidden" name="category" value={category} />}
        <div className="max-lg:col-span-2 lg:col-start-2 lg:row-start-1 lg:w-full lg:max-w-120 lg:justify-self-end">
          <SearchBox
            label="Search the catalogue"
            aria-keyshortcuts={viewer ? '/' : undefined}
            placeholder="A tool, a job or a size"
            defaultValue={q}
            onInput={searchSoon}
            suggestions={suggestions.list}
            {...suggestions.box}
          />
        </div>
        <details
          ref={panel}
          className="always-open-lg group mb-2 rounded-control border border-edge bg-leaf max-lg:open:col-span-2 lg:row-span-2 lg:border-0 lg:bg-transparent"
        >
          <summary className="flex min-h-11 list-none items-center justify-between px-3 text-sm font-medium [&::-webkit-details-marker]:hidden">
            {filterCount > 0 ? `Filters (${filterCount})` : 'Filters'}
            <Icon name="unfold" className="text-blued group-open:rotate-180" />
          </summary>
          <div className="px-3 pt-2 pb-3 lg:p-0">
            <fieldset className="mb-3">
              <legend className="caps mb-2 text-brass">Price</legend>
              <div className="flex items-center gap-3">
                <PriceField
                  name="minPrice"
                  label="Lowest price"
                  placeholder="from"
                  defaultValue={minPrice}
                  onInput={searchSoon}
                />
                <span aria-hidden="true" className="text-soft">
                  –
                </span>
                <PriceField
                  name="maxPrice"
                  label="Highest price"
                  placeholder="to"
                  defaultValue={maxPrice}
                  onInput={searchSoon}
                />
              </div>
            </fieldset>
            <label className="flex min-h-11 w-fit cursor-pointer items-center gap-3">
              <input
                type="checkbox"
                name="inStock"
                value="true"
                defaultChecked={inStock !== ''}
                onChange={searchNow}
                className="size-5"
              />
              In stock
            </label>
            <Button type="submit" kind="plain" className="mb-4 lg:hidden">
              Show tools
            </Button>
            <noscript>
              <Button type="submit" kind="plain" className="mb-4 max-lg:hidden">
                Apply
              </Button>
            </noscript>
            {/* Last, because its length changes with the search. */}
            {categories.length > 0 && (
              <nav
                aria-labelledby="categories"
                onClickCapture={(event) => {
                  cancel();
                  if (isPlainClick(event) && event.target instanceof Element && event.target.closest('a'))
                    closePanel();
                }}
                className="mt-4"
              >
                <h2 id="categories" className="caps mb-1 font-sans font-normal text-brass">
                  Category
                </h2>
                <ul className="max-h-132 overflow-x-hidden overflow-y-auto wrap-anywhere">
                  <CategoryLink query={query} category="">
                    All categories
                  </CategoryLink>
                  {listCategories(categories, category).map((one) => (
                    <CategoryLink key={one.category} query={query} {...one}>
                      {one.category}
                    </CategoryLink>
                  ))}
                </ul>
              </nav>
            )}
          </div>
        </details>
        <div className="max-lg:contents lg:mb-2 lg:flex lg:items-center lg:gap-6">
          <div className="mb-2 flex gap-2 self-start lg:order-1 lg:mb-0">
            <label className="flex grow items-center gap-2 text-sm text-soft">
              <span className="max-lg:sr-only">Sort</span>
              <select
                name="sort"
                defaultValue={sort}
                onChange={searchNow}
                className={`${editableControl} min-h-11 py-1.5 text-sm`}
              >
                {Object.entries(listSortLabels(query)).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
            <noscript>
              <Button type="submit" kind="plain" className="px-3">
                Go
              </Button>
            </noscript>
          </div>
          <div className="mb-2 flex min-w-0 flex-wrap items-center gap-x-5 max-lg:col-span-2 lg:mb-0 lg:grow">
            {children}
          </div>
        </div>
      </form>
    </search>
  );
}

const narrow = '(width < 64rem)';

/** On wide screens, the results are beside the box and follow the text, so suggestions would only cover them. */
const useIsNarrow = (): boolean =>
  useSyncExternalStore(
    watchWidth,
    () => matchMedia(narrow).matches,
    () => false,
  );

function watchWidth(listener: () => void): () => void {
  const query = matchMedia(narrow);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

type PriceFieldProps = {
  name: string;
  label: string;
  placeholder: string;
  defaultValue: string;
  onInput: () => void;
};

function PriceField({ label, ...rest }: PriceFieldProps) {
  return (
    <input
      inputMode="decimal"
      pattern={pricePattern}
      title="An amount, such as 12.50"
      maxLength={9}
      autoComplete="off"
      aria-label={label}
      {...rest}
      className={`${editableControl} figures min-w-0 user-invalid:border-ruby`}
    />
  );
}

type CategoryCount = ProductFilters['categories'][number];

/** Includes the current category, even if nothing in it matches. */
const listCategories = (categories: CategoryCount[], current: string): CategoryCount[] =>
  current && !categories.some(({ category }) => foldLine(category) === foldLine(current))
    ? [{ category: current, count: 0 }, ...categories]
    : categories;

type CategoryLinkProps = {
  query: CatalogueQuery;
  category: string;
  count?: number;
  atLeast?: true | undefined;
  children: string;
};

function CategoryLink({ query, category, count, atLeast, children }: CategoryLinkProps) {
  const isCurrent = foldLine(query.category) === foldLine(category);
  return (
    <li>
      <Link
        to={linkTo({ ...query, category })}
        preventScrollReset
        aria-current={isCurrent ? 'page' : undefined}
        className="flex min-h-11 items-center justify-between gap-3 py-1.5 pl-0.5 text-sm no-underline hover:underline aria-[current=page]:border-l-2 aria-[current=page]:border-brass aria-[current=page]:pl-3 aria-[current=page]:font-medium lg:min-h-9"
      >
        {children}
        {count !== undefined && (
          <span className="figures text-soft">
            {`${count}${atLeast ? '+' : ''}`}
            <span className="sr-only">{count === 1 ? ' tool' : ' tools'}</span>
          </span>
        )}
      </Link>
    </li>
  );
}
