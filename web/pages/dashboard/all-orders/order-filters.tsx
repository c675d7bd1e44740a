import { type FormEvent, useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { apiBase, paths } from '../../../../contract/paths.ts';
import { Button } from '../../../components/button.tsx';
import { Link } from '../../../components/link.tsx';
import { Field, Labelled } from '../../../forms/field.tsx';
import { FilterLink } from '../filter-link.tsx';
import {
  isFiltered,
  linkTo,
  type OrderQuery,
  readOrderQuery,
  sortLabels,
  statusLabels,
  toParameters,
} from './order-query.ts';

const debounceMs = 200;

/** Search, filters and sorting of the order desk: a GET form and links, so that they work without scripts. */
export function OrderFilters({ query }: { query: OrderQuery }) {
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useFieldsOf(form, query);

  /** A search as one types replaces the one before it, so that Back leads out of it at once. */
  function search() {
    clearTimeout(timer.current);
    if (!form.current) return;
    const fields = [...new FormData(form.current)].map(([name, value]) => [name, String(value)]);
    const next = readOrderQuery(new URLSearchParams(fields));
    if (linkTo(next) === linkTo(query)) return;
    void navigate(linkTo(next), { replace: query.q !== '' && next.q !== '', preventScrollReset: true });
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search();
  };
  const searchSoon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(search, debounceMs);
  };
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
      <form ref={form} method="get" onSubmit={submit}>
        {query.status && <input type="hidden" name="status" value={query.status} />}
        <div className="flex max-w-text items-end gap-3">
          <div className="min-w-0 grow">
            <Field
              label="Search orders"
              hint="A number, customer, email address, product or transaction."
              name="q"
              type="search"
              maxLength={100}
              enterKeyHint="search"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              defaultValue={query.q}
              onInput={searchSoon}
            />
          </div>
          <Button type="submit" kind="plain" className="mb-6 min-h-12">
            Search
          </Button>
        </div>
        <nav aria-label="Status" className="flex flex-wrap gap-x-5">
          <FilterLink to={linkTo({ ...query, status: '' })} current={query.status === ''}>
            All
          </FilterLink>
          {statuses}
        </nav>
        <details open={query.from !== '' || query.to !== '' || query.sort !== '-created'}>
          <summary className="flex min-h-11 w-fit items-center text-sm text-blued">Dates and sorting</summary>
          <div className="mt-2 flex flex-wrap items-end gap-x-4">
            <Field label="From" name="from" type="date" defaultValue={query.from} onChange={searchSoon} />
            <Field label="To" name="to" type="date" defaultValue={query.to} onChange={searchSoon} />
            <Labelled id="sort" label="Sort">
              <select
                id="sort"
                name="sort"
                defaultValue={query.sort}
                onChange={search}
                className="block w-full rounded-control border border-edge bg-leaf px-3 py-2.5 text-base text-ink"
              >
                {Object.entries(sortLabels).map(([sort, label]) => (
                  <option key={sort} value={sort}>
                    {label}
                  </option>
                ))}
              </select>
            </Labelled>
          </div>
          <p className="-mt-3 mb-3 text-sm text-soft">Days begin and end at midnight UTC.</p>
        </details>
      </form>
      <p className="flex flex-wrap gap-x-6 text-sm">
        {isFiltered(query) && (
          <Link to="?" className="link link-alone">
            Clear all
          </Link>
        )}
        <a
          href={`${apiBase}${paths.listAllOrders.path}?${new URLSearchParams({ ...toParameters(query), format: 'csv' })}`}
          download
          className="link link-alone"
        >
          Export as CSV
        </a>
      </p>
    </search>
  );
}

/** After Back, Forward or a link, the fields show the new query. The one in use keeps what is being typed. */
function useFieldsOf(form: { current: HTMLFormElement | null }, query: OrderQuery): void {
  useEffect(() => {
    for (const [name, value] of Object.entries(query)) {
      const field = form.current?.elements.namedItem(name);
      const isField = field instanceof HTMLInputElement || field instanceof HTMLSelectElement;
      if (isField && field !== document.activeElement) field.value = value;
    }
  }, [form, query]);
}
