import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router';
import type { Product } from '../../../contract/products.ts';
import { requireAdmin } from '../../client/access.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/feedback/dialog.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { Picture } from '../../components/catalogue/picture.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Cell, Table } from '../../components/table.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { refusalOf } from '../../forms/refusal.ts';
import { session } from '../../client/session.ts';
import { useMoney } from '../../shop.tsx';
import { visit } from '../../client/visit.ts';
import { MoreRows, rowsAsked } from './more-rows.tsx';
import { useRowFocus } from './row-focus.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { client } = args.context.get(visit);
  // The list is public; on this screen it carries the token, as the specification says.
  return client.list('listProducts', { query: rowsAsked(args.request), bearer: true });
}

export function Component() {
  const { rows, after } = useLoaderData<typeof loader>();
  const [chosen, setChosen] = useState<Product>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function remove({ _id, name }: Product) {
    focus.leave(_id);
    try {
      await session().client.call('deleteProduct', { params: { id: _id } });
      toast(`Product:${name} is Deleted.`);
    } catch (error) {
      toast(refusalOf(error).detail, 'wrong');
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
          <p className="mb-6">What you add is in the shop at once.</p>
          <ButtonLink to="/dashboard/addProduct">Add Product</ButtonLink>
        </EmptyState>
      ) : (
        <Table
          caption="All products, in the order in which they were added"
          columns={['Product', 'Price', 'Order quantity', 'Available', 'Delete']}
          numbers={['Price', 'Order quantity', 'Available', 'Delete']}
        >
          {rows.map((product) => (
            <ProductRow key={product._id} product={product} onDelete={setChosen} />
          ))}
        </Table>
      )}
      <MoreRows shown={rows.length} after={after} />
      {chosen && (
        <ConfirmDialog
          title={`Delete ${chosen.name}?`}
          act="Delete the product"
          onConfirm={() => remove(chosen)}
          onClose={() => {
            setChosen(undefined);
            focus.move();
          }}
        >
          <p className="text-soft">
            It leaves the shop at once and cannot be brought back. Orders of it stay as they are.
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
            <Picture img={img} alt="" sizes="5rem" />
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
