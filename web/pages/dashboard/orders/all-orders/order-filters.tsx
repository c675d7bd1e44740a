import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { apiBase, cataloguePaths } from '../../../../../contract/paths.ts';
import { Link } from '../../../../components/link.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { SelectField } from '../../../../forms/fields/select-field.tsx';
import { SearchBox } from '../../../../forms/search-box.tsx';
import { useSearchForm } from '../../../../forms/use-search-form.ts';
import { useSettings } from '../../../../shop.tsx';
import { FilterLink } from '../../filter-link.tsx';
import {
  isFiltered,
  linkTo,
  type OrderQuery,
  orderSortLabels,
  orderTimeLabels,
  readOrderQuery,
  statusLabels,
  toParameters,
} from './order-query.ts';

type Props = {
  query: OrderQuery;
  /** Called with the URL's query when the form is submitted. */
  onSearch: (search: string) => void;
  children: ReactNode;
};

/**
 * Search, filters and sorting of the order desk: a GET form and links, so that they work without scripts. `children` are shown
 * beside the links, below the form.
 */
export function OrderFilters({ query, onSearch, children }: Props) {
  const { timeZone } = useSettings();
  const { form, submit, searchNow, searchSoon, stopTyping, cancel } = useSearchForm(
    query,
    linkTo(query),
    readSearch,
  );
  const nav = useRef<HTMLElement>(null);
  const focusAll = () => nav.current?.querySelector('a')?.focus();
  // The further filters are unfolded at first if one of them is set. Afterwards, the user folds and unfolds them.
  const [isOpen] = useState(query.from !== '' || query.to !== '' || query.sort !== '-created');
  function submitForm(event: FormEvent<HTMLFormElement>) {
    submit(event);
    const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
    onSearch(readSearch(new URLSearchParams(fields)));
    // Select the text, so that the next scan replaces it.
    const box = event.currentTarget.elements.namedItem('q');
    if (box instanceof HTMLInputElement && box === document.activeElement) box.select();
  }

  const statuses = Object.entries(statusLabels).map(([status, label]) => (
    <FilterLink
      key={status}
      to={linkTo(readOrderQuery(new URLSearchParams({ ...toParameters(query), status })))}
      current={query.status === status}
    >
      {label}
    </FilterLink>
  ));

  return (
    <search className="mb-2 block">
      <form ref={form} method="get" onSubmit={submitForm} onBlur={stopTyping}>
        {query.status && <input type="hidden" name="status" value={query.status} />}
        <SearchBox
          label="Search orders"
          hint="A number (of an order, parcel, payment or phone), an email address, or words of a name, an address or a product."
          defaultValue={query.q}
          onInput={searchSoon}
        />
        <div className="relative">
          <nav ref={nav} aria-label="Status" onClickCapture={cancel} className="flex flex-wrap gap-x-5">
            <FilterLink to={linkTo({ ...query, status: '' })} current={query.status === ''}>
              All
            </FilterLink>
            {statuses}
          </nav>
          <details open={isOpen}>
            <summary className="link flex min-h-11 w-fit items-center text-sm xl:absolute xl:top-0 xl:right-0">
              Dates and sorting
            </summary>
            <div className="field-row mt-2 sm:w-fit sm:grid-cols-2 lg:grid-cols-[auto_auto_auto_auto_1fr]">
              <SelectField
                id="by"
                label="Days of"
                name="by"
                defaultValue={query.by}
                options={orderTimeLabels}
                onChange={searchNow}
              />
              <Field label="From" name="from" type="date" defaultValue={query.from} onChange={searchSoon} />
              <Field label="To" name="to" type="date" defaultValue={query.to} onChange={searchSoon} />
              <SelectField
                id="sort"
                label="Sort"
                name="sort"
                defaultValue={query.sort}
                options={orderSortLabels}
                onChange={searchNow}
              />
              <p className="-mt-3 mb-3 text-sm text-soft sm:col-span-2 lg:col-span-1 lg:col-start-5 lg:row-span-2 lg:row-start-3 lg:m-0 lg:self-start">
                Days begin and end at midnight {timeZone ? `in ${timeZone}` : 'UTC'}.
              </p>
            </div>
          </details>
        </div>
      </form>
      <div className="flex flex-wrap items-center gap-x-6 text-sm">
        {isFiltered(query) && (
          // The link disappears with the filters.
          <Link to="?" className="link link-alone" onClick={focusAll}>
            Clear all
          </Link>
        )}
        <a
          href={`${apiBase}${cataloguePaths.listAllOrders.path}?${new URLSearchParams({ ...toParameters(query), format: 'csv' })}`}
          download
          className="link link-alone"
        >
          Export as CSV
        </a>
        {children}
      </div>
    </search>
  );
}

const readSearch = (fields: URLSearchParams): string => linkTo(readOrderQuery(fields));
