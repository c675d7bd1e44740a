import { useEffect, useEffectEvent, useState } from 'react';
import {
  type LoaderFunctionArgs,
  type ShouldRevalidateFunctionArgs,
  useLoaderData,
  useNavigate,
  useSearchParams,
} from 'react-router';
import { stockPage } from '../../../../contract/page-addresses.ts';
import { foldLine } from '../../../../contract/text.ts';
import { createFormKey } from '../../../client/api/idempotency.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Table } from '../../../components/table.tsx';
import { SelectField } from '../../../forms/fields/select-field.tsx';
import { SearchBox } from '../../../forms/search-box.tsx';
import { useRejectedForm } from '../../../forms/use-rejected-form.ts';
import { useSearchForm } from '../../../forms/use-search-form.ts';
import { useScans } from '../use-scans.ts';
import { countForm } from './count-products/count.ts';
import { CountRow, type RowInput } from './count-products/count-row.tsx';
import { countedDays, findToCount, listToCount, readCounts, toSearch } from './count-products/query.ts';
import { RejectedCount, UnsavedCounts } from './count-products/unsaved-counts.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const { signal, url } = args.request;
  const { q, category } = readQuery(new URL(url).searchParams);
  const [counts, { categories }] = await Promise.all([
    readCounts(client, signal),
    client.call('listCategories', { signal }),
  ]);
  let found = await (q
    ? findToCount(client, q, category, signal)
    : listToCount(client, category, counts, signal));
  // A scanned product may be in another category.
  const isElsewhere = q !== '' && category !== '' && found.rows.length === 0;
  if (isElsewhere) found = await findToCount(client, q, '', signal);
  const rows = found.rows.map((product) => ({ product, count: counts.get(product._id) }));
  return {
    viewer,
    q,
    category,
    categories,
    rows,
    hasMore: found.hasMore,
    formKey: createFormKey(),
    isElsewhere: isElsewhere && rows.length > 0,
  };
}

/** A product that was counted stays in its row until the page is opened again. */
export const shouldRevalidate = ({ currentUrl, nextUrl }: ShouldRevalidateFunctionArgs) =>
  currentUrl.href !== nextUrl.href;

const readQuery = (search: URLSearchParams) => ({
  q: (search.get('q') ?? '').trim().slice(0, 100),
  category: (search.get('category') ?? '').trim().slice(0, 60),
});
const readSearch = (fields: URLSearchParams) => toSearch(readQuery(fields));

/** A stock count: lists the products that have not been counted lately, so that it continues where it was left. */
export function Component() {
  const { viewer, q, category, categories, rows, hasMore, formKey, isElsewhere } =
    useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const query = toSearch({ category, q });
  const { form, submit, searchNow, stopTyping } = useSearchForm({ q, category }, query, readSearch);
  const findField = (id: string | undefined) => document.getElementById(`pieces-${id}`);
  const rejected = useRejectedForm(countForm.name);
  const [inputs, setInputs] = useState<ReadonlyMap<string, RowInput>>(
    // Without scripts, the rejected post is the only input that is known. With scripts, each row reports its own input.
    () => new Map(rejected ? [[rejected.values.product ?? '', { isRejected: true }]] : []),
  );
  // A search or a scan must not remove rows with unsaved counts.
  const [list, setList] = useState({ rows, keptRows: rows.slice(0, 0) });
  if (list.rows !== rows) {
    const ids = new Set(rows.map(({ product }) => product._id));
    const keptRows = [...list.keptRows, ...list.rows].filter(
      ({ product: { _id } }) => inputs.has(_id) && !ids.has(_id),
    );
    setList({ rows, keptRows });
  }
  const shown = [...list.keptRows, ...list.rows];
  const unsaved = shown.filter(({ product }) => inputs.get(product._id)?.isRejected);

  const setInput = (id: string, input: RowInput | undefined) =>
    setInputs((current) => {
      const next = new Map(current);
      if (input) next.set(id, input);
      else next.delete(id);
      return next;
    });

  // After a search or a scan, move the focus to the field of the first product that it has found.
  const focusFound = useEffectEvent(() => {
    if (q) findField(rows[0]?.product._id)?.focus();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are loaded once for each search.
  useEffect(() => focusFound(), [rows]);

  function find(code: string) {
    const field = findField(code.toLowerCase());
    if (field) field.focus();
    else void navigate(toSearch({ category, q: code }));
  }
  useScans({ onScan: find });

  const current = categories.find((one) => foldLine(one) === foldLine(category)) ?? category;
  const names = [...new Set([...categories, ...(current ? [current] : [])])];
  return (
    <>
      <PageHeading title="Count Stock" description="Count the products on the shelf, one after another." />
      {search.get('done') === 'counted' && <Notice done>Count recorded.</Notice>}
      {rejected && !shown.some(({ product }) => product._id === rejected.values.product) && (
        <RejectedCount rejected={rejected} />
      )}
      <p className="mb-6 max-w-text text-soft">
        {`Type the number of pieces and press Enter to record it and move on to the next product. Count every piece, including those in orders that have not shipped yet. The list shows the products not counted in the last ${countedDays} days, so you can stop at any time and continue later.`}
      </p>
      <search>
        <form
          ref={form}
          method="get"
          onSubmit={submit}
          onBlur={stopTyping}
          className="grid grid-cols-1 gap-x-4 sm:grid-cols-2"
        >
          <SelectField
            id="category"
            label="Category"
            name="category"
            defaultValue={current}
            options={{ '': 'All', ...Object.fromEntries(names.map((name) => [name, name])) }}
            onChange={searchNow}
          />
          <SearchBox label="Product or scanned code" defaultValue={q} />
        </form>
      </search>
      {isElsewhere && (
        <p className="mb-4 text-soft">{`Nothing matches in ${current}. These products are in other categories.`}</p>
      )}
      {rows.length === 0 && (
        <EmptyState title={q ? 'No matching products' : 'Everything has been counted'}>
          <Link to={q ? toSearch({ category }) : `${stockPage}?reason=count`} className="link link-alone">
            {q ? 'Back to the list' : 'All counts'}
          </Link>
        </EmptyState>
      )}
      {shown.length > 0 && (
        <Table caption="Products to count" columns={['Product', 'Counted', 'Last count']}>
          {shown.map(({ product, count }, index) => (
            <CountRow
              key={product._id}
              product={product}
              viewer={viewer}
              formKey={formKey}
              category={category}
              count={count}
              onNext={() =>
                (findField(shown[index + 1]?.product._id) ?? document.getElementById('next'))?.focus()
              }
              onScan={find}
              onInput={(input) => setInput(product._id, input)}
            />
          ))}
        </Table>
      )}
      <p className="mt-6 flex flex-wrap items-center gap-x-6">
        {q ? (
          <Link to={toSearch({ category })} className="link link-alone" id="next">
            Back to the list
          </Link>
        ) : (
          hasMore && (
            <Link to={query} target="_self" className="link link-alone" id="next">
              Show the products still to count
            </Link>
          )
        )}
        <Link to={`${stockPage}?reason=count`} className="link link-alone">
          All counts
        </Link>
      </p>
      <UnsavedCounts count={unsaved.length} onShow={() => findField(unsaved[0]?.product._id)?.focus()} />
    </>
  );
}
