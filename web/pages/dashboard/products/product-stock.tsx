import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useLocation, useSearchParams } from 'react-router';
import { adjustmentReason } from '../../../../contract/catalogue/stock.ts';
import { managedProductPages, stockPage } from '../../../../contract/page-addresses.ts';
import { createFormKey } from '../../../client/api/idempotency.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { getSession } from '../../../client/session.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useRejectedForm } from '../../../forms/use-rejected-form.ts';
import { FilterLink } from '../filter-link.tsx';
import { MoreRows, readRowsQuery } from '../more-rows.tsx';
import { isLow, isSoldOut } from './manage-products/query.ts';
import { type Adjusted, adjustmentForms } from './stock/adjust.ts';
import { AdjustForm } from './stock/adjust-form.tsx';
import { ChangesTable, formatChange } from './stock/changes-table.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const params = { id: args.params.id ?? '' };
  const [product, history] = await Promise.all([
    client.call('getProduct', { params }),
    client.list('listProductStock', { params, query: readRowsQuery(args.request) }),
  ]);
  return { viewer, product, ...history, formKey: createFormKey() };
}

/** The confirmations of plain posts, by `?done=` code. */
const doneMessages: Record<string, string> = {
  recorded: 'Change recorded.',
  counted: 'Count recorded.',
};

/** A product's stock: records deliveries, returns, damage and counts, and lists every change. */
export function Component() {
  const { viewer, product, rows, after, formKey } = useLoaderData<typeof loader>();
  const { _id, name, a_quantity, archived } = product;
  const [search] = useSearchParams();
  const rejected = useRejectedForm('stock');
  const reason = adjustmentReason.catch('delivery').parse(search.get('reason'));
  const [key, setKey] = useState(rejected?.values.key || formKey);
  const { key: visit } = useLocation();
  /** The stock after the last change, shown until the user navigates: `visit` is the location's key. `times` resets the form. */
  const [adjusted, setAdjusted] = useState({ visit: '', times: 0, stock: product });
  const toast = useToast();
  const done = doneMessages[search.get('done') ?? ''];

  async function showAdjusted(result: Adjusted): Promise<void> {
    toast(
      result.change === 0
        ? 'Count recorded. It matches the stock.'
        : `Recorded ${formatChange(result.change)}: ${result.a_quantity} in stock.`,
    );
    setKey(createFormKey());
    // The change is recorded, even if its result cannot be read.
    const current = await getSession()
      .client.call('getProduct', { params: { id: _id } })
      .catch(() => ({ ...product, ...result }));
    setAdjusted(({ times }) => ({ visit, times: times + 1, stock: current }));
  }

  const showLoaded = () => setAdjusted({ ...adjusted, visit: '' });

  return (
    <>
      <PageHeading title={`Stock of ${name}`} description="Deliveries, returns, damage and counts.">
        {name}
      </PageHeading>
      {done && adjusted.times === 0 && !rejected && <Notice done>{done}</Notice>}
      <p className="-mt-3 mb-8 flex flex-wrap items-baseline gap-x-6 gap-y-2">
        <span className="figures font-serif text-2xl">{`${a_quantity} in stock`}</span>
        {archived && <StatusBadge tone="open">Archived</StatusBadge>}
        {isSoldOut(product) ? (
          <StatusBadge tone="wrong">Sold out</StatusBadge>
        ) : (
          isLow(product) && <StatusBadge tone="open">Low stock</StatusBadge>
        )}
        <Link to={`${managedProductPages}/${_id}`} className="link link-alone">
          Edit the product
        </Link>
        <Link to={stockPage} className="link link-alone">
          All products
        </Link>
      </p>
      <nav aria-label="Type of change" className="mb-6 flex flex-wrap gap-x-6 gap-y-2">
        {adjustmentReason.options.map((each) => (
          <FilterLink
            key={each}
            to={
              each === 'delivery'
                ? `${managedProductPages}/${_id}/stock`
                : `${managedProductPages}/${_id}/stock?reason=${each}`
            }
            current={each === reason}
          >
            {adjustmentForms[each].tab}
          </FilterLink>
        ))}
      </nav>
      <AdjustForm
        key={`${_id} ${reason} ${adjusted.times}`}
        productId={_id}
        stock={adjusted.visit === visit ? adjusted.stock : product}
        viewer={viewer}
        reason={reason}
        formKey={key}
        rejected={adjusted.times === 0 && rejected?.values.reason === reason ? rejected : undefined}
        onAdjusted={showAdjusted}
        onShelfChanged={showLoaded}
      />
      <h2 className="mt-12 mb-4 text-xl">History</h2>
      <ChangesTable rows={rows} caption={`Stock changes of ${name}, newest first`} />
      <MoreRows shown={rows.length} after={after} />
    </>
  );
}
