import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router';
import type { Product } from '../../../contract/products.ts';
import { getErrorMessage } from '../../client/error-message.ts';
import { requireAdmin } from '../../client/route-access.ts';
import { loaderContext } from '../../client/route-context.ts';
import { getSession } from '../../client/session.ts';
import { ButtonLink } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/feedback/dialog.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { Table } from '../../components/table.tsx';
import { ProductFilters } from './manage-products/product-filters.tsx';
import { ProductRow } from './manage-products/product-row.tsx';
import { readWanted, sortLabels, toListQuery, toSearch } from './manage-products/query.ts';
import { MoreRows } from './more-rows.tsx';
import { useRowFocus } from './row-focus.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const wanted = readWanted(new URL(args.request.url).searchParams);
  const query = toListQuery(args.request, wanted);
  const [page, { categories }] = await Promise.all([
    // The list is public, but on this page it is requested with the token, as specified. Typing on cancels it.
    client.list('listProducts', { query, bearer: true, signal: args.request.signal }),
    client.call('listCategories', {}),
  ]);
  return { wanted, categories, ...page };
}

const captions = {
  current: 'All products',
  archived: 'Archived products',
  soldOut: 'Products that are sold out',
  low: 'Products with low stock, or none',
};

/** Titles of empty lists when nothing is searched for. */
const emptyTitles = {
  current: 'The catalogue is empty',
  archived: 'No product is archived',
  soldOut: 'Nothing is sold out',
  low: 'No stock is low',
};

export function Component() {
  const { wanted, categories, rows, after } = useLoaderData<typeof loader>();
  const { list, q, category } = wanted;
  const isFiltered = q !== '' || category !== '';
  const [toDelete, setToDelete] = useState<Product>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function remove({ _id, name }: Product) {
    focus.setTargetAfterRemoval(_id);
    try {
      await getSession().client.call('deleteProduct', { params: { id: _id } });
      toast(`Product:${name} is Deleted.`);
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    await revalidate();
  }

  return (
    <>
      <PageHeading
        title="Manage Products"
        description="The whole catalogue, with its prices and its stock."
      />
      <p className="mb-6">
        <Link to="/dashboard/products/import" className="link link-alone">
          Import or export
        </Link>
      </p>
      <ProductFilters wanted={wanted} categories={categories} />
      <p role="status" className="sr-only">
        {rows.length === 0
          ? 'No product matches.'
          : `${rows.length}${after ? ' or more' : ''} products match.`}
      </p>
      {rows.length > 0 ? (
        <Table
          caption={`${captions[list]}. Order: ${sortLabels[wanted.sort]}.`}
          columns={['Product', 'Price', 'Order quantity', 'Available', 'Low below', 'Edit or delete']}
          numbers={['Price', 'Order quantity', 'Available', 'Low below', 'Edit or delete']}
        >
          {rows.map((product) => (
            <ProductRow key={product._id} product={product} onDelete={setToDelete} onSaved={revalidate} />
          ))}
        </Table>
      ) : isFiltered ? (
        <EmptyState title="No product matches">
          <Link
            to={`/dashboard/manageProduct${toSearch({ ...wanted, q: '', category: '' })}`}
            className="link link-alone"
          >
            Show all of them
          </Link>
        </EmptyState>
      ) : (
        <EmptyState title={emptyTitles[list]}>
          {list === 'archived' ? (
            'Products that you take off sale are listed here, and can be restored.'
          ) : list === 'current' ? (
            <>
              <p className="mb-6">Products that you add appear in the shop immediately.</p>
              <ButtonLink to="/dashboard/addProduct">Add Product</ButtonLink>
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
