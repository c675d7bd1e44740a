import { useRef, useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router';
import type { Product } from '../../../../contract/catalogue/products.ts';
import {
  addProductPage,
  countProductsPage,
  importProductsPage,
  manageProductsPage,
} from '../../../../contract/page-addresses.ts';
import { isUnreachable } from '../../../client/api/api-errors.ts';
import { getErrorMessage } from '../../../client/api/error-message.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { getSession } from '../../../client/session.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/feedback/dialog.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Table } from '../../../components/table.tsx';
import { describeMatches, MoreRows } from '../more-rows.tsx';
import { useRowFocus } from '../row-focus.ts';
import { useRowsInPlace } from '../rows-in-place.ts';
import { ProductFilters } from './manage-products/product-filters.tsx';
import { AdminProductRow } from './manage-products/product-row.tsx';
import { listSortLabels, readProductListQuery, toListQuery, toSearch } from './manage-products/query.ts';
import { archiveProduct } from './manage-products/save-field.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const listQuery = readProductListQuery(new URL(args.request.url).searchParams);
  const query = toListQuery(args.request, listQuery);
  const [page, { categories }] = await Promise.all([
    // The list is public, but on this page it is requested with the token, as specified. Further typing cancels it.
    client.list('listProducts', { query, bearer: true, signal: args.request.signal }),
    client.call('listCategories', {}),
  ]);
  return { listQuery, categories, ...page };
}

const captions = {
  current: 'All products',
  archived: 'Archived products',
  soldOut: 'Products that are sold out',
  low: 'Products with low stock, or none',
  weightless: 'Products without a weight',
};

/** Values that are saved within this time share a message. */
const seriesMs = 6000;
const seriesNames: Record<string, string> = { Price: 'prices', 'Low-stock threshold': 'thresholds' };

/** Titles of empty lists without a search. */
const emptyTitles = {
  current: 'The catalogue is empty',
  archived: 'Nothing is archived',
  soldOut: 'Nothing is sold out',
  low: 'Nothing is low on stock',
  weightless: 'Every product has a weight',
};

export function Component() {
  const { listQuery, categories, rows: loadedRows, after } = useLoaderData<typeof loader>();
  const { rows, update } = useRowsInPlace(loadedRows);
  const { list, q, category } = listQuery;
  const isFiltered = q !== '' || category !== '';
  const [toDelete, setToDelete] = useState<Product>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const toast = useToast();
  const lastSaved = useRef({ label: '', text: '', count: 0, at: 0 });

  /** Shows a product as it is now. Its row stays even if it no longer belongs here, so that no other row moves under the pointer. */
  async function refresh({ _id: id }: Product) {
    const product = await getSession()
      .client.call('getProduct', { params: { id } })
      .catch(() => undefined);
    if (product) update([product]);
    else await revalidate();
  }

  /** Reports a saved value. Several values in a row share one message. */
  function reportSaved({ name }: Product, label: string) {
    const last = lastSaved.current;
    const isSeries = last.label === label && Date.now() - last.at < seriesMs;
    const count = isSeries ? last.count + 1 : 1;
    const text = isSeries ? `${count} ${seriesNames[label]} saved.` : `${label} of ${name} saved.`;
    toast(text, 'done', undefined, last.text);
    lastSaved.current = { label, text, count, at: Date.now() };
  }

  async function remove({ _id, name }: Product) {
    focus.setTargetAfterRemoval(_id);
    try {
      await getSession().client.call('deleteProduct', { params: { id: _id } });
      toast(`Product:${name} is Deleted.`);
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
      if (isUnreachable(error)) return;
    }
    await revalidate();
  }

  async function archive(product: Product) {
    const { name, archived } = product;
    try {
      await archiveProduct(product, !archived);
      toast(archived ? `${name} is back in the shop.` : `${name} is archived.`);
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
      if (isUnreachable(error)) return;
    }
    await refresh(product);
  }

  return (
    <>
      <PageHeading
        title="Manage Products"
        description="The whole catalogue, with its prices and its stock."
      />
      <p className="mb-6 flex flex-wrap gap-x-6">
        <Link to={importProductsPage} className="link link-alone">
          Import or export
        </Link>
        <Link to={countProductsPage} className="link link-alone">
          Count Stock
        </Link>
      </p>
      <ProductFilters listQuery={listQuery} categories={categories} />
      <p role="status" className="sr-only">
        {rows.length === 0
          ? 'No matching products.'
          : describeMatches(rows.length, after !== undefined, 'product')}
      </p>
      {rows.length > 0 ? (
        <Table
          caption={`${captions[list]}, sorted by: ${listSortLabels(listQuery)[listQuery.sort]}.`}
          columns={['Product', 'Price', 'Order quantity', 'Available', 'Threshold', 'Archive or delete']}
          numbers={['Price', 'Order quantity', 'Available', 'Threshold', 'Archive or delete']}
        >
          {rows.map((product) => (
            <AdminProductRow
              key={product._id}
              product={product}
              onDelete={setToDelete}
              onArchive={archive}
              onChanged={async (changed, saved) => {
                if (saved) reportSaved(changed, saved);
                await refresh(changed);
              }}
            />
          ))}
        </Table>
      ) : isFiltered ? (
        <EmptyState title="No matching products">
          <Link
            to={`${manageProductsPage}${toSearch({ ...listQuery, q: '', category: '' })}`}
            className="link link-alone"
          >
            Show the whole list
          </Link>
        </EmptyState>
      ) : (
        <EmptyState title={emptyTitles[list]}>
          {list === 'archived' ? (
            'Products that you take off sale are listed here, and can be restored.'
          ) : list === 'current' ? (
            <>
              <p className="mb-6">Products that you add appear in the shop immediately.</p>
              <ButtonLink to={addProductPage}>Add Product</ButtonLink>
            </>
          ) : list === 'low' ? (
            'Products that are sold out, or have less stock than their low-stock threshold, are listed here.'
          ) : (
            'Products with less stock than their order quantity are listed here.'
          )}
        </EmptyState>
      )}
      <MoreRows shown={rows.length} after={after} />
      {toDelete && (
        <ConfirmDialog
          title={`Delete ${toDelete.name}?`}
          confirmLabel="Delete the product"
          onConfirm={() => remove(toDelete)}
          onClose={() => {
            setToDelete(undefined);
            focus.focusTarget();
          }}
        >
          <p className="text-soft">
            It disappears from the shop immediately. This cannot be undone. Its orders are not affected.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
