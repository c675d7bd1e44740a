import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router';
import type { Product } from '../../../contract/products.ts';
import { getErrorMessage } from '../../client/error-message.ts';
import { requireAdmin } from '../../client/route-access.ts';
import { loaderContext } from '../../client/route-context.ts';
import { getSession } from '../../client/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { ProductImage } from '../../components/catalogue/product-image.tsx';
import { ConfirmDialog } from '../../components/feedback/dialog.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Cell, Table } from '../../components/table.tsx';
import { useMoney } from '../../shop.tsx';
import { MoreRows, readRowsQuery } from './more-rows.tsx';
import { useRowFocus } from './row-focus.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  // The list is public, but on this page it is requested with the token, as specified.
  return client.list('listProducts', { query: readRowsQuery(args.request), bearer: true });
}

export function Component() {
  const { rows, after } = useLoaderData<typeof loader>();
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
      {rows.length === 0 ? (
        <EmptyState title="The catalogue is empty">
          <p className="mb-6">Products that you add appear in the shop immediately.</p>
          <ButtonLink to="/dashboard/addProduct">Add Product</ButtonLink>
        </EmptyState>
      ) : (
        <Table
          caption="All products, oldest first"
          columns={['Product', 'Price', 'Order quantity', 'Available', 'Delete']}
          numbers={['Price', 'Order quantity', 'Available', 'Delete']}
        >
          {rows.map((product) => (
            <ProductRow key={product._id} product={product} onDelete={setToDelete} />
          ))}
        </Table>
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

function ProductRow({ product, onDelete }: { product: Product; onDelete: (product: Product) => void }) {
  const money = useMoney();
  const { _id, name, img, price, currency, o_quantity, a_quantity } = product;
  return (
    <tr id={_id} tabIndex={-1}>
      <Cell>
        <span className="flex items-center gap-4">
          <span className="w-20 shrink-0 border border-rule">
            <ProductImage img={img} alt="" sizes="5rem" />
          </span>
          <Link
            to={`/purchase/${_id}`}
            className="link font-serif text-lg leading-tight wrap-anywhere max-sm:link-alone"
          >
            {name}
          </Link>
        </span>
      </Cell>
      <Cell label="Price" number>
        {money.table(price, currency)}
      </Cell>
      <Cell label="Order quantity" number>
        {o_quantity}
      </Cell>
      <Cell label="Available" number>
        <span>
          {a_quantity}
          {a_quantity < o_quantity && (
            <span className="block">
              <StatusBadge tone="wrong">Sold out</StatusBadge>
            </span>
          )}
        </span>
      </Cell>
      <Cell number>
        <Button kind="danger" onClick={() => onDelete(product)}>
          Delete<span className="sr-only"> {name}</span>
        </Button>
      </Cell>
    </tr>
  );
}
