import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import type { StockReason } from '../../../../contract/catalogue/stock.ts';
import { countProductsPage, manageProductsPage, stockPage } from '../../../../contract/page-addresses.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { FilterLink } from '../filter-link.tsx';
import { MoreRows, readRowsQuery } from '../more-rows.tsx';
import { ChangesTable, stockReasonLabels } from './stock/changes-table.tsx';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { searchParams } = new URL(args.request.url);
  const reason = findReason(searchParams.get('reason'));
  const query = { ...readRowsQuery(args.request), ...(reason ? { reason } : {}) };
  const page = await args.context.get(loaderContext).client.list('listStock', { query });
  return { ...page, reason };
}

const findReason = (text: string | null) =>
  Object.keys(stockReasonLabels).find((each): each is StockReason => each === text);

const filters: [reason: StockReason, label: string][] = [
  ['delivery', 'Deliveries'],
  ['return', 'Returns'],
  ['damage', 'Damage'],
  ['count', 'Counts'],
  ['other', 'Other'],
  ['sale', 'Sales'],
  ['restock', 'Refunds'],
  ['hold_expired', 'Not paid in time'],
];

/** The stock changes of all products. */
export function Component() {
  const { rows, after, reason } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeading title="Stock" description="Every stock change, for all products." />
      <p className="mb-6 max-w-text text-soft">
        {'To record a delivery, a return, damage or a count, open the product here or from '}
        <Link to={manageProductsPage} className="link">
          Manage Products
        </Link>
        {'. To count many products, use '}
        <Link to={countProductsPage} className="link">
          Count Stock
        </Link>
        .
      </p>
      <nav aria-label="Reasons" className="mb-6 flex flex-wrap gap-x-6 gap-y-2">
        <FilterLink to={stockPage} current={reason === undefined}>
          All
        </FilterLink>
        {filters.map(([each, label]) => (
          <FilterLink key={each} to={`${stockPage}?reason=${each}`} current={each === reason}>
            {label}
          </FilterLink>
        ))}
      </nav>
      {rows.length === 0 ? (
        <EmptyState title="Nothing yet">
          {reason ? 'There are no changes for this reason.' : 'Stock changes will appear here.'}
        </EmptyState>
      ) : (
        <ChangesTable rows={rows} caption="Stock changes of all products, newest first" showProducts />
      )}
      <MoreRows shown={rows.length} after={after} />
    </>
  );
}
